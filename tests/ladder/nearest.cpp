#include "nearest.hpp"

#include <boost/multiprecision/mpfr.hpp>
#include <cmath>
#include <limits>
#include <vector>

namespace qkvet::test {
namespace {

using Real = boost::multiprecision::number<boost::multiprecision::mpfr_float_backend<0>,
                                           boost::multiprecision::et_off>;

// The next encoding up or down in value; a zero's neighbours are the smallest subnormals.
double beside(Format format, std::uint64_t encoding, bool up) {
  const FormatInfo& f = info(format);
  const double x = decode(format, encoding);
  if (std::fabs(x) <= 0) return up ? f.eta : -f.eta;
  const bool away = up == (x > 0);
  if (std::fabs(x) >= f.max && away) {  // where infinity would be if it were the next number
    return std::copysign(std::ldexp(1.0, std::min(f.e_max, 1022) + 1), x);
  }
  return decode(format, away ? encoding + 1 : encoding - 1);
}

}  // namespace

struct MpfrRow::Values {
  int bits;
  std::vector<Real> all;
};

MpfrRow::MpfrRow(const Problem& problem, const Semantics& semantics, std::int64_t b,
                 std::int64_t h, std::int64_t i, int bits)
    : values_(std::make_unique<Values>()) {
  Real::default_precision(static_cast<unsigned>(bits * 0.30103));
  values_->bits = bits;
  const Shape& shape = problem.shape;
  const std::int64_t kv_head = shape.kv_head(h);
  const bool add_first = semantics.cap_order == Semantics::CapOrder::bias_then_cap;
  Real scale;
  if (problem.scale) {
    scale = *problem.scale;
  } else {
    scale = 1 / sqrt(Real(shape.d_k));
  }
  const auto cap = [&](const Real& x) -> Real {
    if (!(problem.softcap > 0)) return x;
    return Real(problem.softcap * tanh(Real(x / problem.softcap)));
  };
  std::vector<std::int64_t> keys;
  std::vector<Real> weights;
  for (std::int64_t j = 0; j < shape.S; ++j) {
    const bool seen = problem.softcap > 0 && add_first
                          ? visible_without_bias(problem, b, h, i, j)
                          : visible(problem, b, h, i, j);
    if (!seen) continue;
    Real x = 0;
    for (std::int64_t c = 0; c < shape.d_k; ++c) {
      x += Real(problem.q.value(b, h, i, c)) * Real(problem.k.value(b, kv_head, j, c));
    }
    x *= scale;
    Real bias = bias_value(problem, b, h, i, j);
    if (problem.alibi_slopes) {
      const std::int64_t distance = std::llabs(i + diagonal_offset(problem, b) - j);
      bias -= Real(problem.alibi_slopes->value(h, 0, 0, 0)) * Real(distance);
    }
    const Real score = add_first ? cap(Real(x + bias)) : Real(cap(x) + bias);
    keys.push_back(j);
    weights.push_back(score);
  }
  if (has_sink(problem, h)) weights.emplace_back(problem.sinks->value(h, 0, 0, 0));
  Real m = weights.front();
  for (const Real& s : weights) m = s > m ? s : m;
  Real sum = 0;
  for (Real& s : weights) {
    s = exp(Real(s - m));
    sum += s;
  }
  for (std::int64_t d = 0; d < shape.d_v; ++d) {
    Real o = 0;
    for (std::size_t n = 0; n < keys.size(); ++n) {
      o += weights[n] * Real(problem.v.value(b, kv_head, keys[n], d));
    }
    values_->all.emplace_back(o / sum);
  }
  values_->all.emplace_back(m + log(sum));
  std::vector<Real> p(static_cast<std::size_t>(shape.S), Real(0));
  for (std::size_t n = 0; n < keys.size(); ++n) {
    p[static_cast<std::size_t>(keys[n])] = weights[n] / sum;
  }
  values_->all.insert(values_->all.end(), p.begin(), p.end());
}
MpfrRow::~MpfrRow() = default;

bool MpfrRow::nearest(std::size_t value, Format format, std::uint64_t encoding) const {
  const Real& x = values_->all[value];
  double y = decode(format, encoding);
  if (std::isnan(y)) return false;
  if (std::isinf(y)) y = std::copysign(std::ldexp(1.0, std::min(info(format).e_max, 1022) + 1), y);
  const Real off = abs(Real(x - y));
  const Real slack = ldexp(Real(abs(x) + abs(Real(y)) + info(format).eta), -values_->bits * 3 / 4);
  for (const bool up : {false, true}) {
    if (std::isinf(decode(format, encoding)) && up == (y > 0)) continue;
    const double other =
        std::isinf(decode(format, encoding))
            ? std::copysign(info(format).max, y)
            : beside(format, encoding, up);
    if (!(off <= abs(Real(x - other)) + slack)) return false;
  }
  return true;
}

double MpfrRow::distance(std::size_t value, double x) const {
  return abs(Real(values_->all[value] - x)).convert_to<double>();
}

std::string MpfrRow::text(std::size_t value) const { return values_->all[value].str(40); }

}  // namespace qkvet::test
