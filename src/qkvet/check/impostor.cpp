// The impostors' answers, computed in plain double by code that belongs to nobody else: they need
// not be accurate, only plainly wrong.
#include <algorithm>
#include <cmath>
#include <limits>
#include <qkvet/check/power.hpp>
#include <qkvet/num/convert.hpp>

namespace qkvet {
namespace {

bool sees(const Exhibit& exhibit, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
  const bool bias_hides =
      exhibit.contract->semantics.cap_order == Semantics::CapOrder::cap_then_bias;
  const Problem& problem = exhibit.run->problem;
  return bias_hides ? visible(problem, b, h, i, j) : visible_without_bias(problem, b, h, i, j);
}

/// An exhibit and its q, k and v as numbers.
struct Inputs {
  const Exhibit& exhibit;
  std::vector<double> q, k, v;
};

std::vector<double> numbers(const Tensor& tensor) {
  std::vector<double> out(tensor.bits.size());
  convert::with_format(tensor.format, [&](auto known) {
    for (std::size_t n = 0; n < out.size(); ++n) {
      out[n] = convert::widen<decltype(known)::value>(tensor.bits[n]);
    }
  });
  return out;
}

double score(const Inputs& inputs, std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) {
  const Exhibit& exhibit = inputs.exhibit;
  const Problem& p = exhibit.run->problem;
  const double* q = inputs.q.data() + p.q.index(b, h, i, 0);
  const double* k = inputs.k.data() + p.k.index(b, p.shape.kv_head(h), j, 0);
  double x = 0;
  for (std::int64_t c = 0; c < p.shape.d_k; ++c) x += q[c] * k[c];
  x *= scale_value(p);
  double bias = bias_value(p, b, h, i, j);
  if (!std::isfinite(bias)) bias = 0;  // an unmasked output has no use for a mask in the bias
  if (p.alibi_slopes) {
    const auto distance = static_cast<double>(std::abs(i + diagonal_offset(p, b) - j));
    bias -= p.alibi_slopes->value(h, 0, 0, 0) * distance;
  }
  const auto cap = [&p](double s) {
    return p.softcap > 0 ? p.softcap * std::tanh(s / p.softcap) : s;
  };
  const bool cap_first =
      exhibit.contract->semantics.cap_order == Semantics::CapOrder::cap_then_bias;
  return cap_first ? cap(x) + bias : cap(x + bias);
}

/// Weights of one row: softmax of the scores, masked or not, the sink included in the sum.
std::vector<double> weights(const Inputs& inputs, bool masked, std::int64_t b, std::int64_t h,
                            std::int64_t i) {
  const Exhibit& exhibit = inputs.exhibit;
  const Problem& p = exhibit.run->problem;
  constexpr double none = -std::numeric_limits<double>::infinity();
  std::vector<double> w(static_cast<std::size_t>(p.shape.S), none);
  const double sink = has_sink(p, h) ? p.sinks->value(h, 0, 0, 0) : none;
  double top = sink;
  for (std::int64_t j = 0; j < p.shape.S; ++j) {
    if (masked && !sees(exhibit, b, h, i, j)) continue;
    double& s = w[static_cast<std::size_t>(j)];
    s = score(inputs, b, h, i, j);
    top = std::max(top, s);
  }
  if (!std::isfinite(top)) return std::vector<double>(w.size(), 0.0);
  double sum = std::exp(sink - top);
  for (double& s : w) sum += s = std::exp(s - top);
  for (double& s : w) s /= sum;
  return w;
}

std::vector<double> uniform(const Exhibit& exhibit, std::int64_t b, std::int64_t h,
                            std::int64_t i) {
  std::vector<double> w(static_cast<std::size_t>(exhibit.run->problem.shape.S), 0.0);
  double n = 0;
  for (std::size_t j = 0; j < w.size(); ++j) {
    if (!sees(exhibit, b, h, i, static_cast<std::int64_t>(j))) continue;
    w[j] = 1;
    n += 1;
  }
  for (double& x : w) x = n > 0 ? x / n : 0;
  return w;
}

std::vector<double> weights_of(Impostor impostor, const Inputs& inputs, std::int64_t b,
                               std::int64_t h, std::int64_t i) {
  const Exhibit& exhibit = inputs.exhibit;
  const auto S = static_cast<std::size_t>(exhibit.run->problem.shape.S);
  std::vector<double> w(S, 0.0);
  switch (impostor) {
    case Impostor::zeros:
      return w;
    case Impostor::mean_v:
      return uniform(exhibit, b, h, i);
    case Impostor::first_v:
      if (S > 0) w[0] = 1;
      return w;
    case Impostor::unmasked:
      return weights(inputs, false, b, h, i);
    case Impostor::sign_flip:
      break;
  }
  w = weights(inputs, true, b, h, i);
  for (double& x : w) x = -x;
  return w;
}

bool hides_a_key(const Exhibit& exhibit) {
  const Shape& s = exhibit.run->problem.shape;
  for (std::int64_t b = 0; b < s.B; ++b)
    for (std::int64_t h = 0; h < s.H_q; ++h)
      for (std::int64_t i = 0; i < s.L; ++i)
        for (std::int64_t j = 0; j < s.S; ++j)
          if (!sees(exhibit, b, h, i, j)) return true;
  return false;
}

/// An LSE that its place admits.
double admitted(const Place& place) {
  if (place.allowed.lo <= place.allowed.hi && std::isfinite(place.allowed.mid())) {
    return std::isfinite(place.exact.mid()) ? place.exact.mid() : place.allowed.mid();
  }
  if (place.minus_inf) return -std::numeric_limits<double>::infinity();
  if (place.plus_inf) return std::numeric_limits<double>::infinity();
  return place.nan ? std::numeric_limits<double>::quiet_NaN() : 0.0;
}

}  // namespace

std::optional<Outputs> impostor_outputs(Impostor impostor, const Exhibit& exhibit) {
  if (impostor == Impostor::unmasked && !hides_a_key(exhibit)) return std::nullopt;
  const Problem& p = exhibit.run->problem;
  const Shape& s = p.shape;
  const Inputs inputs{exhibit, numbers(p.q), numbers(p.k), numbers(p.v)};
  Outputs out;
  out.o = make_tensor(exhibit.contract->arithmetic.out, {s.B, s.H_q, s.L, s.d_v});
  std::vector<double> row(static_cast<std::size_t>(s.d_v));
  std::size_t at = 0;
  for (std::int64_t b = 0; b < s.B; ++b)
    for (std::int64_t h = 0; h < s.H_q; ++h)
      for (std::int64_t i = 0; i < s.L; ++i) {
        const std::vector<double> w = weights_of(impostor, inputs, b, h, i);
        std::fill(row.begin(), row.end(), 0.0);
        for (std::int64_t j = 0; j < s.S; ++j) {
          const double weight = w[static_cast<std::size_t>(j)];
          if (!(weight > 0 || weight < 0)) continue;
          const double* v = inputs.v.data() + p.v.index(b, s.kv_head(h), j, 0);
          for (std::size_t d = 0; d < row.size(); ++d) row[d] += weight * v[d];
        }
        for (const double o : row) out.o.bits[at++] = encode(out.o.format, o);
      }
  out.lse_format = Format::binary64;
  for (const Place& place : exhibit.admissible.lse) {
    out.lse.push_back(encode(Format::binary64, admitted(place)));
  }
  return out;
}

}  // namespace qkvet
