// The reading of row classes and nonfinite inputs for the first rung and the definition.
#include <algorithm>
#include <cmath>
#include <limits>
#include <qkvet/oracle/facts.hpp>

namespace qkvet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Not-a-number and infinite inputs of one group of values.
struct Specials {
  bool nan = false, infinite = false;

  void note(double x) {
    nan |= std::isnan(x);
    infinite |= std::isinf(x);
  }
  [[nodiscard]] bool any() const { return nan || infinite; }
};

Specials specials_of_query(const Problem& problem, std::int64_t b, std::int64_t h, std::int64_t i) {
  Specials found;
  for (std::int64_t c = 0; c < problem.shape.d_k; ++c) found.note(problem.q.value(b, h, i, c));
  return found;
}

// The bias of key j, unless it is -inf.
Specials specials_of_bias(const Problem& problem, std::int64_t b, std::int64_t h, std::int64_t i,
                          std::int64_t j) {
  Specials found;
  const double bias = bias_value(problem, b, h, i, j);
  if (!(bias <= -infinity)) found.note(bias);  // Slopes are finite: validate.
  return found;
}

void add_keys(const Problem& problem, const Semantics& semantics, const HeadFacts& head,
              std::int64_t b, std::int64_t h, std::int64_t i, RowEnclosure& row) {
  const bool hides = infinite_bias_hides(problem, semantics);
  const bool query_special = row.visible_nan || row.visible_inf;
  row.trace.keys.resize(static_cast<std::size_t>(problem.shape.S));
  for (std::int64_t j = 0; j < problem.shape.S; ++j) {
    const auto at = static_cast<std::size_t>(j);
    KeyTrace& key = row.trace.keys[at];
    key.key = j;
    key.visible = hides ? visible(problem, b, h, i, j) : visible_without_bias(problem, b, h, i, j);
    Specials found = specials_of_bias(problem, b, h, i, j);
    found.nan |= head.key_nan[at] != 0;
    found.infinite |= head.key_infinite[at] != 0;
    key.finite = !query_special && !found.any();
    if (!key.visible) key.weight = {0, 0};
    if (key.visible) {
      row.visible_nan |= found.nan;
      row.visible_inf |= found.infinite;
      ++row.trace.n;
      if (!key.finite) row.row_class = RowClass::nonfinite;
    } else {
      row.hidden_nonfinite |= found.any();
    }
  }
}

void add_sink(const Problem& problem, std::int64_t h, RowEnclosure& row) {
  if (!has_sink(problem, h)) return;
  const double logit = problem.sinks->value(h, 0, 0, 0);  // Finite: validate.
  KeyTrace sink;
  sink.key = problem.shape.S;
  sink.visible = sink.sink = true;
  sink.bias = {0, 0};
  sink.x = sink.s = {logit, logit};
  ++row.trace.n;
  row.trace.keys.push_back(sink);
}

// No visible key: the outputs are zeros and only a sink can give a log-sum-exp.
void finish_empty(RowEnclosure& row) {
  const Interval nothing{-infinity, -infinity};
  RowTrace& trace = row.trace;
  trace.m = trace.lse = trace.lse_without_sink = nothing;
  for (Interval& o : row.o) o = {0, 0};
  if (trace.n == 0) return;
  KeyTrace& sink = trace.keys.back();
  sink.weight = {1, 1};
  trace.m = trace.lse = sink.s;
}

void note_columns(const Problem& problem, std::int64_t b, std::int64_t h, RowEnclosure& row) {
  const std::int64_t kv_head = problem.shape.kv_head(h);
  for (std::int64_t d = 0; d < problem.shape.d_v; ++d) {
    ColumnFacts& column = row.columns[static_cast<std::size_t>(d)];
    for (std::int64_t j = 0; j < problem.shape.S; ++j) {
      const double v = problem.v.value(b, kv_head, j, d);
      if (std::isfinite(v)) continue;
      const bool shown = row.trace.keys[static_cast<std::size_t>(j)].visible;
      column.hidden_nonfinite |= !shown;
      column.visible_nan |= shown && std::isnan(v);
      column.visible_inf |= shown && std::isinf(v);
    }
  }
}

}  // namespace

HeadFacts::HeadFacts(const Problem& problem, std::int64_t b, std::int64_t kv_head) {
  const Shape& shape = problem.shape;
  key_nan.resize(static_cast<std::size_t>(shape.S));
  key_infinite.resize(static_cast<std::size_t>(shape.S));
  value_max.resize(static_cast<std::size_t>(shape.d_v));
  for (std::int64_t j = 0; j < shape.S; ++j) {
    Specials key, value;
    for (std::int64_t c = 0; c < shape.d_k; ++c) key.note(problem.k.value(b, kv_head, j, c));
    for (std::int64_t d = 0; d < shape.d_v; ++d) {
      const double v = problem.v.value(b, kv_head, j, d);
      value.note(v);
      double& most = value_max[static_cast<std::size_t>(d)];
      if (std::isfinite(v)) most = std::max(most, std::fabs(v));
    }
    key_nan[static_cast<std::size_t>(j)] = key.nan;
    key_infinite[static_cast<std::size_t>(j)] = key.infinite;
    any_value_nonfinite |= value.any();
  }
}

bool infinite_bias_hides(const Problem& problem, const Semantics& semantics) {
  return !(problem.softcap > 0) || semantics.cap_order == Semantics::CapOrder::cap_then_bias;
}

RowEnclosure classify_row(const Problem& problem, const Semantics& semantics, const HeadFacts& head,
                          std::int64_t b, std::int64_t h, std::int64_t i) {
  RowEnclosure row;
  row.o.resize(static_cast<std::size_t>(problem.shape.d_v));
  row.columns.resize(static_cast<std::size_t>(problem.shape.d_v));
  const Specials query = specials_of_query(problem, b, h, i);
  row.visible_nan = query.nan;
  row.visible_inf = query.infinite;
  add_keys(problem, semantics, head, b, h, i, row);
  const bool empty = row.trace.n == 0;
  add_sink(problem, h, row);
  if (row.row_class == RowClass::live && empty) row.row_class = RowClass::empty;
  if (row.row_class == RowClass::empty) finish_empty(row);
  if (head.any_value_nonfinite) note_columns(problem, b, h, row);
  return row;
}

}  // namespace qkvet
