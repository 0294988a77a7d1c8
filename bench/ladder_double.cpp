// What the ladder is measured against, compiled for this machine alone: attention in double by
// Eigen's blocked and vectorised products, and by the obvious loop.
#include "ladder_double.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace bench {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<const Matrix>;

void eigen_attention(const Dense& p, std::vector<double>& o) {
  const View q(p.q.data(), p.L, p.d), k(p.k.data(), p.S, p.d), v(p.v.data(), p.S, p.d);
  Eigen::Map<Matrix> out(o.data(), p.L, p.d);
  constexpr Eigen::Index block = 64;  // scores of a block of queries stay in cache
  Matrix scores;
  Eigen::VectorXd shift, sum;
  for (Eigen::Index i = 0; i < p.L; i += block) {
    const Eigen::Index rows = std::min<Eigen::Index>(block, p.L - i);
    scores.noalias() = q.middleRows(i, rows) * k.transpose();
    scores *= p.scale;
    shift = scores.rowwise().maxCoeff();
    scores.colwise() -= shift;
    scores = scores.array().exp().matrix();
    sum = scores.rowwise().sum();
    out.middleRows(i, rows).noalias() = scores * v;
    out.middleRows(i, rows).array().colwise() /= sum.array();
  }
}

void simple_attention(const Dense& p, std::vector<double>& o) {
  std::vector<double> s(static_cast<std::size_t>(p.S));
  const auto d = static_cast<std::size_t>(p.d);
  for (std::size_t i = 0; i < static_cast<std::size_t>(p.L); ++i) {
    double m = -1e300;
    for (std::size_t j = 0; j < s.size(); ++j) {
      double dot = 0;
      for (std::size_t c = 0; c < d; ++c) dot += p.q[i * d + c] * p.k[j * d + c];
      s[j] = dot * p.scale;
      m = std::max(m, s[j]);
    }
    double sum = 0;
    double* const out = o.data() + i * d;
    std::fill(out, out + d, 0.0);
    for (std::size_t j = 0; j < s.size(); ++j) {
      const double w = std::exp(s[j] - m);
      sum += w;
      for (std::size_t c = 0; c < d; ++c) out[c] += w * p.v[j * d + c];
    }
    for (std::size_t c = 0; c < d; ++c) out[c] /= sum;
  }
}

}  // namespace bench
