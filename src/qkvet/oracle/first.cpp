// Plain double with an a-priori bound, pass by pass; each step names its section of docs/oracle.md.
#include <algorithm>
#include <cmath>
#include <qkvet/oracle/first.hpp>
#include <qkvet/oracle/outward.hpp>

namespace qkvet {
namespace {

using outward::down;
using outward::SumError;
using outward::up;

double finite_or_zero(double x) { return std::isfinite(x) ? x : 0; }

// Distance of key j from the diagonal, |i + offset - j|: docs/oracle.md 2.4.
Interval distance(std::int64_t i, std::int64_t offset, std::int64_t j) {
  const auto exactly = [](std::int64_t n) {
    constexpr std::int64_t exact = std::int64_t{1} << 53;
    const auto x = static_cast<double>(n);
    return -exact <= n && n <= exact ? outward::point(x) : Interval{down(x), up(x)};
  };
  constexpr std::int64_t safe = std::int64_t{1} << 62;  // |i - j| is far below it: no overflow.
  if (-safe <= offset && offset <= safe) return exactly(std::llabs(i - j + offset));
  const Interval signed_distance = outward::add(exactly(i - j), exactly(offset));
  return {signed_distance.mignitude(), signed_distance.magnitude()};
}

// cap * tanh(x / cap): docs/oracle.md 2.3.
Interval capped(const Interval& x, double cap) {
  const Interval argument = {down(x.lo / cap), up(x.hi / cap)};
  return outward::mul(outward::tanh(argument), outward::point(cap));
}

// The larger interval end by end: encloses the maximum.
void raise_to(Interval& m, const Interval& s) { m = {std::max(m.lo, s.lo), std::max(m.hi, s.hi)}; }

// Everything about a sum of exponentials over the visible keys: docs/oracle.md 2.5.
struct ExponentialSum {
  double shift = 0;
  Interval m{-outward::infinity, -outward::infinity};
  Interval sum, lse;
};

// Fills `exponentials` (one per key of the trace, [0, 0] if left out) and their enclosed sum.
ExponentialSum sum_exponentials(const RowTrace& trace, bool with_sink,
                                std::vector<Interval>& exponentials) {
  ExponentialSum result;
  for (const KeyTrace& key : trace.keys) {
    if (key.visible && (with_sink || !key.sink)) raise_to(result.m, key.s);
  }
  result.shift = result.m.mid();
  exponentials.assign(trace.keys.size(), Interval{0, 0});
  double lo = 0, hi = 0;
  for (std::size_t j = 0; j < trace.keys.size(); ++j) {
    const KeyTrace& key = trace.keys[j];
    if (!key.visible || (key.sink && !with_sink)) continue;
    exponentials[j] = outward::exp(outward::sub(key.s, outward::point(result.shift)));
    lo += exponentials[j].lo;
    hi += exponentials[j].hi;
  }
  const double gamma = outward::gamma_up(static_cast<std::int64_t>(trace.keys.size()));
  result.sum = {down(lo * down(1 - gamma)), up(hi * up(1 + gamma))};
  result.lse = outward::add(outward::log(result.sum), outward::point(result.shift));
  // ln sum exp(s) is at least max s: exact for one key, and a floor where the sum is of little use.
  result.lse.lo = std::max(result.lse.lo, result.m.lo);
  return result;
}

// p = e / (e + rest), increasing in e and falling in the rest: docs/oracle.md 2.6.
Interval weight_of(const Interval& e, const Interval& sum) {
  const double rest_lo = std::max(0.0, down(sum.lo - e.lo));
  const double rest_hi = std::max(0.0, up(sum.hi - e.hi));
  Interval weight{0, 1};
  if (e.lo > 0) weight.lo = std::max(0.0, down(e.lo / up(e.lo + rest_hi)));
  if (e.hi + rest_lo > 0) weight.hi = std::min(1.0, up(e.hi / down(e.hi + rest_lo)));
  return weight;
}

bool all_bounded(const RowTrace& trace) {
  return std::all_of(trace.keys.begin(), trace.keys.end(), [](const KeyTrace& key) {
    return !key.visible || outward::is_bounded(key.s);
  });
}

}  // namespace

Interval scale_interval(const Problem& problem) {
  if (problem.scale) return outward::point(*problem.scale);
  const double sigma = 1 / std::sqrt(static_cast<double>(problem.shape.d_k));
  return outward::around(sigma, up(sigma * (3 * outward::u)));  // docs/oracle.md 2.2
}

FirstRung::FirstRung(const Problem& problem, const Semantics& semantics)
    : problem_(problem), semantics_(semantics), scale_(scale_interval(problem)) {}

void FirstRung::decode_head(std::int64_t b, std::int64_t kv_head) {
  if (b == b_ && kv_head == kv_head_) return;
  const Shape& shape = problem_.shape;
  const auto S = static_cast<std::size_t>(shape.S), d_k = static_cast<std::size_t>(shape.d_k),
             d_v = static_cast<std::size_t>(shape.d_v);
  facts_ = HeadFacts(problem_, b, kv_head);
  keys_.resize(d_k * S);
  values_.resize(S * d_v);
  key_sum_.assign(S, 0);
  key_max_.assign(S, 0);
  const SumError plain(shape.d_k, 0);
  for (std::size_t j = 0; j < S; ++j) {
    const auto key = static_cast<std::int64_t>(j);
    for (std::size_t c = 0; c < d_k; ++c) {
      const double x = problem_.k.value(b, kv_head, key, static_cast<std::int64_t>(c));
      keys_[c * S + j] = finite_or_zero(x);
      key_sum_[j] += std::fabs(x);
      key_max_[j] = std::max(key_max_[j], std::fabs(x));
    }
    for (std::size_t d = 0; d < d_v; ++d) {
      values_[j * d_v + d] =
          finite_or_zero(problem_.v.value(b, kv_head, key, static_cast<std::int64_t>(d)));
    }
    const bool special = facts_.key_nan[j] || facts_.key_infinite[j];
    key_sum_[j] = special ? outward::infinity : plain.absolute(key_sum_[j]);
    if (special) key_max_[j] = outward::infinity;
  }
  b_ = b;
  kv_head_ = kv_head;
}

// Pass 1: dots and absolute dots of the row with every key. docs/oracle.md 2.1
void FirstRung::dots(std::int64_t b, std::int64_t h, std::int64_t i, RowTrace& trace) {
  const auto S = static_cast<std::size_t>(problem_.shape.S);
  dot_.assign(S, 0);
  dot_abs_.assign(S, 0);
  double query_sum = 0;
  bool special = false;
  for (std::int64_t c = 0; c < problem_.shape.d_k; ++c) {
    const double stored = problem_.q.value(b, h, i, c);
    special |= !std::isfinite(stored);
    const double x = finite_or_zero(stored);
    query_sum += std::fabs(x);
    trace.q_max = std::max(trace.q_max, std::fabs(x));
    const double* const column = keys_.data() + static_cast<std::size_t>(c) * S;
    double* const dot = dot_.data();
    double* const dot_abs = dot_abs_.data();
    for (std::size_t j = 0; j < S; ++j) {
      const double product = x * column[j];
      dot[j] += product;
      dot_abs[j] += std::fabs(product);
    }
  }
  trace.Q1 = special ? outward::infinity : SumError(problem_.shape.d_k, 0).absolute(query_sum);
  if (special) trace.q_max = outward::infinity;
}

// The additive bias minus ALiBi; -inf stays -inf. docs/oracle.md 2.4
Interval FirstRung::bias_of(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j,
                            std::int64_t offset) const {
  const Interval additive = outward::point(bias_value(problem_, b, h, i, j));
  if (!problem_.alibi_slopes || !outward::is_bounded(additive)) return additive;
  const double slope = problem_.alibi_slopes->value(h, 0, 0, 0);
  const Interval alibi = outward::mul(outward::point(-slope), distance(i, offset, j));
  return problem_.mask.bias ? outward::add(additive, alibi) : alibi;
}

// Passes 2 to 4: scale, cap, bias. docs/oracle.md 2.2 to 2.4
void FirstRung::scores(std::int64_t b, std::int64_t h, std::int64_t i, RowTrace& trace) const {
  const SumError error(problem_.shape.d_k, outward::product_underflow(problem_.format));
  const std::int64_t offset = problem_.alibi_slopes ? diagonal_offset(problem_, b) : 0;
  const bool cap = problem_.softcap > 0;
  const bool cap_last = cap && semantics_.cap_order == Semantics::CapOrder::bias_then_cap;
  const bool biased = problem_.mask.bias.has_value() || problem_.alibi_slopes.has_value();
  for (std::int64_t j = 0; j < problem_.shape.S; ++j) {
    const auto at = static_cast<std::size_t>(j);
    KeyTrace& key = trace.keys[at];
    key.K1 = key_sum_[at];
    key.k_max = key_max_[at];
    key.A = key.K1 < outward::infinity && trace.Q1 < outward::infinity
                ? error.absolute(dot_abs_[at])
                : outward::infinity;
    key.bias = {0, 0};
    if (!key.finite) {
      key.bias = {};
      continue;
    }
    if (key.A <= outward::largest) {
      key.x = outward::mul(scale_, outward::around(dot_[at], error.radius(key.A)));
    }
    Interval s = cap && !cap_last ? capped(key.x, problem_.softcap) : key.x;
    if (biased) {
      key.bias = bias_of(b, h, i, j, offset);
      const bool hidden_by_bias = key.bias.hi < -outward::largest;
      s = hidden_by_bias ? key.bias : outward::add(s, key.bias);
    }
    if (cap_last) s = capped(s, problem_.softcap);
    key.s = s;
  }
}

// Passes 5 and 6: max, exponentials, their sum; then the outputs. docs/oracle.md 2.5
void FirstRung::outputs(RowEnclosure& row) {
  RowTrace& trace = row.trace;
  const bool sink = trace.keys.back().sink;
  if (sink) trace.lse_without_sink = sum_exponentials(trace, false, exponentials_).lse;
  const ExponentialSum total = sum_exponentials(trace, true, exponentials_);
  trace.m = total.m;
  trace.lse = total.lse;
  if (!sink) trace.lse_without_sink = total.lse;

  mix_values(total.sum, row);
}

// Passes 7 and 8: weights and outputs. docs/oracle.md 2.6, 2.7
void FirstRung::mix_values(const Interval& sum, RowEnclosure& row) {
  RowTrace& trace = row.trace;
  const auto d_v = static_cast<std::size_t>(problem_.shape.d_v);
  // A weight can be far below the format's range, so its products can underflow in every format;
  // beside a narrow format's smallest number 2^-900 is nothing, and it keeps subnormals out of the
  // loop.
  const double tiny = problem_.format == Format::binary64 ? outward::smallest : 0x1p-900;
  const SumError error(trace.n, tiny);
  numerator_.assign(d_v, 0);
  spread_.assign(d_v, 0);
  for (std::size_t j = 0; j < trace.keys.size(); ++j) {
    KeyTrace& key = trace.keys[j];
    if (!key.visible) continue;
    const Interval& e = exponentials_[j];
    key.weight = weight_of(e, sum);
    if (key.sink) continue;
    const double w = e.mid();
    const double t = up(up(std::max(e.hi - w, w - e.lo)) + up(error.gamma() * w));
    const double* const v = values_.data() + j * d_v;
    double* const numerator = numerator_.data();
    double* const spread = spread_.data();
    for (std::size_t d = 0; d < d_v; ++d) {
      numerator[d] += w * v[d];
      spread[d] += t * std::fabs(v[d]);
    }
  }
  for (std::size_t d = 0; d < d_v; ++d) {
    const ColumnFacts& column = row.columns[d];
    if (column.visible_nan || column.visible_inf) continue;
    const double radius = up(error.absolute(spread_[d]) + static_cast<double>(trace.n) * tiny);
    row.o[d] = outward::div(outward::around(numerator_[d], radius), sum);
  }
}

RowEnclosure FirstRung::row(std::int64_t b, std::int64_t h, std::int64_t i) {
  decode_head(b, problem_.shape.kv_head(h));
  RowEnclosure row = classify_row(problem_, semantics_, facts_, b, h, i);
  row.trace.scale = scale_;
  dots(b, h, i, row.trace);
  scores(b, h, i, row.trace);
  if (row.row_class != RowClass::live) return row;
  for (KeyTrace& key : row.trace.keys) {
    if (key.visible) key.weight = {0, 1};
  }
  if (all_bounded(row.trace)) outputs(row);
  return row;
}

}  // namespace qkvet
