// Plain double with a proven bound, pass by pass; each step names its section of docs/oracle.md.
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

// The larger interval end by end: encloses the maximum.
void raise_to(Interval& m, const Interval& s) { m = {std::max(m.lo, s.lo), std::max(m.hi, s.hi)}; }

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

FirstRung::FirstRung(const Problem& problem, const Semantics& semantics,
                     const loops::Kernels& kernels)
    : problem_(problem),
      semantics_(semantics),
      kernels_(kernels),
      scale_(scale_interval(problem)) {}

void FirstRung::decode_head(std::int64_t b, std::int64_t kv_head) {
  if (b == b_ && kv_head == kv_head_) return;
  head_ = HeadBlocks(problem_, b, kv_head);
  const auto keys = static_cast<std::size_t>(head_.S_pad);
  const auto columns = static_cast<std::size_t>(head_.d_pad);
  query_.resize(static_cast<std::size_t>(head_.d_k));
  for (auto* scratch :
       {&dot_, &dot_abs_, &low_, &high_, &exp_low_, &exp_high_, &weight_, &error_}) {
    scratch->resize(keys);
  }
  numerator_.resize(columns);
  spread_.resize(columns);
  b_ = b;
  kv_head_ = kv_head;
}

// Pass 1: dots and absolute dots of the row with every key. docs/oracle.md 2.1
void FirstRung::dots(std::int64_t b, std::int64_t h, std::int64_t i, RowTrace& trace) {
  double query_sum = 0;
  bool special = false;
  for (std::int64_t c = 0; c < head_.d_k; ++c) {
    const double stored = problem_.q.value(b, h, i, c);
    special |= !std::isfinite(stored);
    const double x = finite_or_zero(stored);
    query_[static_cast<std::size_t>(c)] = x;
    query_sum += std::fabs(x);
    trace.q_max = std::max(trace.q_max, std::fabs(x));
  }
  kernels_.row_dots(query_.data(), head_.keys.data(), head_.d_k, head_.S_pad, dot_.data(),
                    dot_abs_.data());
  trace.Q1 = special ? outward::infinity : SumError(head_.d_k, 0).absolute(query_sum);
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
  const SumError plain(head_.d_k, 0);
  const SumError error(head_.d_k, loops::dot_roundings(head_.d_k),
                       outward::product_underflow(problem_.format));
  const std::int64_t offset = problem_.alibi_slopes ? diagonal_offset(problem_, b) : 0;
  const bool cap = problem_.softcap > 0;
  const bool cap_last = cap && semantics_.cap_order == Semantics::CapOrder::bias_then_cap;
  const bool biased = problem_.mask.bias.has_value() || problem_.alibi_slopes.has_value();
  for (std::int64_t j = 0; j < problem_.shape.S; ++j) {
    const auto at = static_cast<std::size_t>(j);
    KeyTrace& key = trace.keys[at];
    const bool special = head_.facts.key_nan[at] != 0 || head_.facts.key_infinite[at] != 0;
    key.K1 = special ? outward::infinity : plain.absolute(head_.key_sum[at]);
    key.k_max = special ? outward::infinity : head_.key_max[at];
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
    Interval s = cap && !cap_last ? outward::capped(key.x, problem_.softcap) : key.x;
    if (biased) {
      key.bias = bias_of(b, h, i, j, offset);
      const bool hidden_by_bias = key.bias.hi < -outward::largest;
      s = hidden_by_bias ? key.bias : outward::add(s, key.bias);
    }
    if (cap_last) s = outward::capped(s, problem_.softcap);
    key.s = s;
  }
}

// Passes 5 and 6: maximum, exponentials and their enclosed sum, with or without the sink; fills the
// exponentials of the keys that count. docs/oracle.md 2.5
Interval FirstRung::sum_exponentials(const RowTrace& trace, bool with_sink, Interval& m,
                                     Interval& lse) {
  m = {-outward::infinity, -outward::infinity};
  const auto counts = [&](const KeyTrace& key) { return key.visible && (with_sink || !key.sink); };
  for (const KeyTrace& key : trace.keys) {
    if (counts(key)) raise_to(m, key.s);
  }
  const double shift = m.hi;  // so that no exponent is positive
  std::fill(low_.begin(), low_.end(), loops::hidden_score);
  std::fill(high_.begin(), high_.end(), loops::hidden_score);
  for (std::size_t j = 0; j < trace.keys.size(); ++j) {
    const KeyTrace& key = trace.keys[j];
    if (!counts(key)) continue;
    low_[j] = key.s.lo < shift ? down(key.s.lo - shift) : 0;
    high_[j] = key.s.hi < shift ? std::min(0.0, up(key.s.hi - shift)) : 0;
  }
  outward::exp_each(kernels_, low_.data(), high_.data(), head_.S_pad, exp_low_.data(),
                    exp_high_.data());
  double lo = 0, hi = 0;
  for (std::size_t j = 0; j < trace.keys.size(); ++j) {
    if (!counts(trace.keys[j])) continue;
    lo += exp_low_[j];
    hi += exp_high_[j];
  }
  const double gamma = outward::gamma_up(static_cast<std::int64_t>(trace.keys.size()));
  const Interval sum = {down(lo * down(1 - gamma)), up(hi * up(1 + gamma))};
  lse = outward::add(outward::log(sum), outward::point(shift));
  // ln sum exp(s) is at least max s: exact for one key, and a floor where the sum is of little use.
  lse.lo = std::max(lse.lo, m.lo);
  return sum;
}

void FirstRung::outputs(RowEnclosure& row) {
  RowTrace& trace = row.trace;
  const bool sink = trace.keys.back().sink;
  Interval m;
  if (sink) (void)sum_exponentials(trace, false, m, trace.lse_without_sink);
  const Interval sum = sum_exponentials(trace, true, trace.m, trace.lse);
  if (!sink) trace.lse_without_sink = trace.lse;
  mix_values(sum, row);
}

// Passes 7 and 8: weights and outputs. docs/oracle.md 2.6, 2.7
void FirstRung::mix_values(const Interval& sum, RowEnclosure& row) {
  RowTrace& trace = row.trace;
  // A weight can be far below the format's range, so its products can underflow in every format;
  // beside a narrow format's smallest number 2^-900 is nothing, and it keeps subnormals out of the
  // loop.
  const bool narrow = problem_.format != Format::binary64;
  const double tiny = narrow ? 0x1p-900 : outward::smallest;
  const SumError error(trace.n, loops::value_roundings(head_.S_pad), tiny);
  std::fill(weight_.begin(), weight_.end(), 0.0);
  std::fill(error_.begin(), error_.end(), 0.0);
  for (std::size_t j = 0; j < trace.keys.size(); ++j) {
    KeyTrace& key = trace.keys[j];
    if (!key.visible) continue;
    const Interval e{exp_low_[j], exp_high_[j]};
    key.weight = weight_of(e, sum);
    if (key.sink) continue;
    if (narrow && e.hi <= tiny) {
      error_[j] = tiny;
      continue;
    }
    const double w = e.mid();
    weight_[j] = w;
    error_[j] = up(up(std::max(e.hi - w, w - e.lo)) + up(error.gamma() * w));
  }
  kernels_.row_values(weight_.data(), error_.data(), head_.values.data(), head_.S_pad, head_.d_pad,
                      numerator_.data(), spread_.data());
  for (std::size_t d = 0; d < row.o.size(); ++d) {
    const ColumnFacts& column = row.columns[d];
    if (column.visible_nan || column.visible_inf) continue;
    const double radius = up(error.absolute(spread_[d]) + static_cast<double>(trace.n) * tiny);
    row.o[d] = outward::div(outward::around(numerator_[d], radius), sum);
  }
}

RowEnclosure FirstRung::row(std::int64_t b, std::int64_t h, std::int64_t i) {
  decode_head(b, problem_.shape.kv_head(h));
  RowEnclosure row = classify_row(problem_, semantics_, head_.facts, b, h, i);
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
