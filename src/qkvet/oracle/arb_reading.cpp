// The Arb oracle's reading of inputs: which keys a row sees, what is not finite, and the absolute sums of
// the trace, with their upper rounding.
#include <qkvet/oracle/arb_row.ipp>

#include <cmath>

namespace qkvet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// An upper bound of a sum of n products of absolute values from its value in double: each of the at most
// 2 n roundings costs a factor 1 + 2^-52, each underflow 2^-1074. n < 2^29, so the square terms fit in
// the spare factor of two (docs/oracle.md 3.3).
double raised(double sum, std::int64_t n) {
  const double terms = static_cast<double>(2 * n + 2);
  const double result = sum * (1 + terms * 0x1p-52) + terms * 0x1p-1074;
  return sum > 0 ? std::nextafter(result, infinity) : n == 0 ? 0 : result;
}

}  // namespace

void ArbRung::State::hold_head(std::int64_t entry, std::int64_t head) {
  if (entry == b && head == kv_head) return;
  const std::int64_t S = problem.shape.S, d_k = problem.shape.d_k, d_v = problem.shape.d_v;
  const std::int64_t first_key = (entry * problem.shape.H_kv + head) * S;
  keys = ArbVector(S * d_k);
  values = ArbVector(S * d_v);
  key_magnitudes.assign(static_cast<std::size_t>(S * d_k), 0);
  key_sum.assign(static_cast<std::size_t>(S), 0);
  key_max.assign(static_cast<std::size_t>(S), 0);
  key_nan.assign(static_cast<std::size_t>(S), 0);
  key_infinite.assign(static_cast<std::size_t>(S), 0);
  value_specials.clear();
  value_max.assign(static_cast<std::size_t>(d_v), 0);
  for (std::int64_t j = 0; j < S; ++j) {
    const auto key = static_cast<std::size_t>(j);
    for (std::int64_t c = 0; c < d_k; ++c) {
      const auto place = static_cast<std::size_t>((first_key + j) * d_k + c);
      const double x = decode(problem.format, problem.k.bits[place]);
      if (std::isnan(x)) key_nan[key] = 1;
      if (std::isinf(x)) key_infinite[key] = 1;
      if (!std::isfinite(x)) continue;
      arb_set_d(keys.at(j * d_k + c), x);
      key_magnitudes[static_cast<std::size_t>(j * d_k + c)] = std::fabs(x);
      key_sum[key] += std::fabs(x);
      key_max[key] = std::fmax(key_max[key], std::fabs(x));
    }
    const bool special = key_nan[key] != 0 || key_infinite[key] != 0;
    key_sum[key] = special ? infinity : raised(key_sum[key], d_k);
    if (special) key_max[key] = infinity;
    for (std::int64_t d = 0; d < d_v; ++d) {
      const auto place = static_cast<std::size_t>((first_key + j) * d_v + d);
      const double x = decode(problem.format, problem.v.bits[place]);
      if (std::isfinite(x)) {
        arb_set_d(values.at(j * d_v + d), x);
        double& largest = value_max[static_cast<std::size_t>(d)];
        largest = std::fmax(largest, std::fabs(x));
      } else {
        value_specials.resize(static_cast<std::size_t>(S * d_v), 0);
        value_specials[static_cast<std::size_t>(j * d_v + d)] = x;
      }
    }
  }
  b = entry;
  kv_head = head;
}

RowEnclosure ArbRung::State::read_row(std::int64_t entry, std::int64_t h, std::int64_t i) const {
  const Shape& shape = problem.shape;
  RowEnclosure row;
  row.o.resize(static_cast<std::size_t>(shape.d_v));
  row.columns.resize(static_cast<std::size_t>(shape.d_v));
  RowTrace& trace = row.trace;
  std::vector<double> query(static_cast<std::size_t>(shape.d_k));
  for (std::int64_t c = 0; c < shape.d_k; ++c) {
    const auto place =
        static_cast<std::size_t>(((entry * shape.H_q + h) * shape.L + i) * shape.d_k + c);
    const double x = decode(problem.format, problem.q.bits[place]);
    if (std::isnan(x)) row.visible_nan = true;
    if (std::isinf(x)) row.visible_inf = true;
    query[static_cast<std::size_t>(c)] = std::fabs(x);
    trace.Q1 += std::fabs(x);
    trace.q_max = std::fmax(trace.q_max, std::fabs(x));
  }
  const bool query_special = row.visible_nan || row.visible_inf;
  trace.Q1 = query_special ? infinity : raised(trace.Q1, shape.d_k);
  if (query_special) trace.q_max = infinity;

  double slope = 0;
  if (problem.alibi_slopes) {
    slope = decode(problem.alibi_slopes->format, problem.alibi_slopes->bits[static_cast<std::size_t>(h)]);
  }
  trace.keys.resize(static_cast<std::size_t>(shape.S));
  for (std::int64_t j = 0; j < shape.S; ++j) {
    const auto at = static_cast<std::size_t>(j);
    KeyTrace& key = trace.keys[at];
    key.key = j;
    const double additive = mask.additive(entry, h, i, j);
    const bool minus_infinity = std::isinf(additive) && additive < 0;
    key.visible = mask.admits(entry, h, i, j) && !(minus_infinity && mask.minus_infinity_hides());
    const bool nan = key_nan[at] != 0 || std::isnan(additive) || std::isnan(slope);
    const bool infinite =
        key_infinite[at] != 0 || (std::isinf(additive) && !minus_infinity) || std::isinf(slope);
    key.finite = !(query_special || nan || infinite);
    key.K1 = key_sum[at];
    key.k_max = key_max[at];
    key.A = infinity;
    if (!query_special && key.K1 < infinity) {
      double sum = 0;
      const double* const magnitudes = key_magnitudes.data() + j * shape.d_k;
      for (std::size_t c = 0; c < query.size(); ++c) sum += query[c] * magnitudes[c];
      key.A = raised(sum, shape.d_k);
    }
    if (key.visible) {
      ++trace.n;
      row.visible_nan |= nan;
      row.visible_inf |= infinite;
      if (!key.finite) row.row_class = RowClass::nonfinite;
    } else {
      key.weight = {0, 0};
      row.hidden_nonfinite |= nan || infinite;
    }
  }
  if (trace.n == 0) row.row_class = RowClass::empty;

  if (problem.sinks) {
    const double logit = decode(problem.sinks->format, problem.sinks->bits[static_cast<std::size_t>(h)]);
    if (!(std::isinf(logit) && logit < 0)) {
      KeyTrace sink;
      sink.key = shape.S;
      sink.sink = sink.visible = true;
      sink.finite = std::isfinite(logit);
      sink.bias = {0, 0};
      if (sink.finite) {
        sink.x = sink.s = {logit, logit};
      } else {
        row.row_class = RowClass::nonfinite;
        (std::isnan(logit) ? row.visible_nan : row.visible_inf) = true;
      }
      trace.keys.push_back(sink);
      ++trace.n;
    }
  }
  if (value_specials.empty()) return row;
  for (std::int64_t d = 0; d < shape.d_v; ++d) {
    ColumnFacts& column = row.columns[static_cast<std::size_t>(d)];
    for (std::int64_t j = 0; j < shape.S; ++j) {
      const double x = value_specials[static_cast<std::size_t>(j * shape.d_v + d)];
      if (std::isfinite(x)) continue;
      if (!trace.keys[static_cast<std::size_t>(j)].visible) {
        column.hidden_nonfinite = true;
      } else {
        (std::isnan(x) ? column.visible_nan : column.visible_inf) = true;
      }
    }
  }
  return row;
}

}  // namespace qkvet
