// The Arb oracle's reading of inputs: which keys a row sees, what is not finite, and the absolute
// sums of the trace, with their upper rounding.
#include <cmath>
#include <qkvet/oracle/arb_row.ipp>

namespace qkvet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// An upper bound of a sum of n products of absolute values from its value in double: each of the at
// most 2 n roundings costs a factor 1 + 2^-52, each underflow 2^-1074. n < 2^29, so the square
// terms fit in the spare factor of two (docs/oracle.md 3.3).
double raised(double sum, std::int64_t n) {
  const double terms = static_cast<double>(2 * n + 2);
  const double result = sum * (1 + terms * 0x1p-52) + terms * 0x1p-1074;
  return sum > 0 ? std::nextafter(result, infinity) : n == 0 ? 0 : result;
}

}  // namespace

void ArbRung::State::hold_head(std::int64_t entry, std::int64_t head) {
  if (entry == b && head == kv_head) return;
  const std::int64_t first_key = (entry * problem.shape.H_kv + head) * problem.shape.S;
  hold_keys(first_key);
  hold_values(first_key);
  b = entry;
  kv_head = head;
}

void ArbRung::State::hold_keys(std::int64_t first_key) {
  const std::int64_t S = problem.shape.S, d_k = problem.shape.d_k;
  const auto count = static_cast<std::size_t>(S);
  keys = ArbVector(S * d_k);
  key_magnitudes.assign(static_cast<std::size_t>(S * d_k), 0);
  key_sum.assign(count, 0);
  key_max.assign(count, 0);
  key_nan.assign(count, 0);
  key_infinite.assign(count, 0);
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
  }
}

void ArbRung::State::hold_values(std::int64_t first_key) {
  const std::int64_t d_v = problem.shape.d_v, size = problem.shape.S * d_v;
  values = ArbVector(size);
  value_specials.clear();
  value_max.assign(static_cast<std::size_t>(d_v), 0);
  for (std::int64_t n = 0; n < size; ++n) {
    const double x =
        decode(problem.format, problem.v.bits[static_cast<std::size_t>(first_key * d_v + n)]);
    if (std::isfinite(x)) {
      arb_set_d(values.at(n), x);
      double& most = value_max[static_cast<std::size_t>(n % d_v)];
      most = std::fmax(most, std::fabs(x));
    } else {
      value_specials.resize(static_cast<std::size_t>(size), 0);
      value_specials[static_cast<std::size_t>(n)] = x;
    }
  }
}

RowEnclosure ArbRung::State::read_row(std::int64_t entry, std::int64_t h, std::int64_t i) const {
  RowEnclosure row;
  row.o.resize(static_cast<std::size_t>(problem.shape.d_v));
  row.columns.resize(row.o.size());
  row.trace.keys.resize(static_cast<std::size_t>(problem.shape.S));
  const std::vector<double> query = read_query(entry, h, i, row);
  for (std::int64_t j = 0; j < problem.shape.S; ++j) read_key(entry, h, i, j, query, row);
  if (row.trace.n == 0) row.row_class = RowClass::empty;
  read_sink(h, row);
  if (!value_specials.empty()) read_columns(row);
  return row;
}

// The magnitudes of the query, and what is not finite in it.
std::vector<double> ArbRung::State::read_query(std::int64_t entry, std::int64_t h, std::int64_t i,
                                               RowEnclosure& row) const {
  const std::int64_t d_k = problem.shape.d_k;
  const std::int64_t first = ((entry * problem.shape.H_q + h) * problem.shape.L + i) * d_k;
  RowTrace& trace = row.trace;
  std::vector<double> query;
  for (std::int64_t c = 0; c < d_k; ++c) {
    const double x = decode(problem.format, problem.q.bits[static_cast<std::size_t>(first + c)]);
    if (std::isnan(x)) row.visible_nan = true;
    if (std::isinf(x)) row.visible_inf = true;
    query.push_back(std::fabs(x));
    trace.Q1 += std::fabs(x);
    trace.q_max = std::fmax(trace.q_max, std::fabs(x));
  }
  const bool special = row.visible_nan || row.visible_inf;
  trace.Q1 = special ? infinity : raised(trace.Q1, d_k);
  if (special) trace.q_max = infinity;
  return query;
}

void ArbRung::State::read_key(std::int64_t entry, std::int64_t h, std::int64_t i, std::int64_t j,
                              const std::vector<double>& query, RowEnclosure& row) const {
  const auto at = static_cast<std::size_t>(j);
  RowTrace& trace = row.trace;
  KeyTrace& key = trace.keys[at];
  const double additive = mask.additive(entry, h, i, j);
  const bool minus_infinity = std::isinf(additive) && additive < 0;
  const bool nan = key_nan[at] != 0 || std::isnan(additive);
  const bool infinite = key_infinite[at] != 0 || (std::isinf(additive) && !minus_infinity);
  const bool query_special = !(trace.q_max < infinity);
  key.key = j;
  key.visible = mask.admits(entry, h, i, j) && !(minus_infinity && mask.minus_infinity_hides());
  key.finite = !(query_special || nan || infinite);
  key.K1 = key_sum[at];
  key.k_max = key_max[at];
  key.A = infinity;
  if (!query_special && key_nan[at] == 0 && key_infinite[at] == 0) {
    double sum = 0;
    const double* const magnitudes = key_magnitudes.data() + j * problem.shape.d_k;
    for (std::size_t c = 0; c < query.size(); ++c) sum += query[c] * magnitudes[c];
    key.A = raised(sum, problem.shape.d_k);
  }
  if (!key.visible) {
    key.weight = {0, 0};
    row.hidden_nonfinite |= nan || infinite;
    return;
  }
  ++trace.n;
  row.visible_nan |= nan;
  row.visible_inf |= infinite;
  if (!key.finite) row.row_class = RowClass::nonfinite;
}

// A sink is one more key without a value; -inf is none. Other sinks and all slopes are finite
// (validate).
void ArbRung::State::read_sink(std::int64_t h, RowEnclosure& row) const {
  if (!problem.sinks) return;
  const Tensor& sinks = *problem.sinks;
  const double logit = decode(sinks.format, sinks.bits[static_cast<std::size_t>(h)]);
  if (std::isinf(logit)) return;
  KeyTrace sink;
  sink.key = problem.shape.S;
  sink.sink = sink.visible = true;
  sink.bias = {0, 0};
  sink.x = sink.s = {logit, logit};
  row.trace.keys.push_back(sink);
  ++row.trace.n;
}

void ArbRung::State::read_columns(RowEnclosure& row) const {
  const auto d_v = static_cast<std::size_t>(problem.shape.d_v);
  for (std::size_t n = 0; n < value_specials.size(); ++n) {
    const double x = value_specials[n];
    if (std::isfinite(x)) continue;
    ColumnFacts& column = row.columns[n % d_v];
    const bool shown = row.trace.keys[n / d_v].visible;
    if (!shown) column.hidden_nonfinite = true;
    if (shown && std::isnan(x)) column.visible_nan = true;
    if (shown && std::isinf(x)) column.visible_inf = true;
  }
}

}  // namespace qkvet
