// From balls to the two forms of the answer: an enclosure in doubles, and proven decimal digits.
#include <cstdlib>
#include <cstring>
#include <qkvet/oracle/arb_row.ipp>

namespace qkvet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Interval minus_infinity{-infinity, -infinity};

Interval clamped(const Interval& x, double lo, double hi) {
  return {std::max(x.lo, lo), std::min(x.hi, hi)};
}

void answer_keys(const ArbRow& balls, RowEnclosure& row) {
  for (KeyTrace& key : row.trace.keys) {
    if (!key.finite) continue;
    if (!key.sink) key.x = outward_doubles(balls.x.at(key.key));
    if (!key.sink) {
      const bool hidden_by_bias = !arb_is_finite(balls.bias.at(key.key));
      key.bias = hidden_by_bias ? minus_infinity : outward_doubles(balls.bias.at(key.key));
      const bool no_score = !arb_is_finite(balls.s.at(key.key));
      key.s = no_score ? minus_infinity : outward_doubles(balls.s.at(key.key));
    } else {
      key.x = key.s = outward_doubles(balls.s.at(key.key));
    }
    if (row.row_class == RowClass::live && key.visible) {
      key.weight = clamped(outward_doubles(balls.p.at(key.key)), 0, 1);
    }
  }
}

void answer_empty(RowEnclosure& row) {
  RowTrace& trace = row.trace;
  trace.m = trace.lse = trace.lse_without_sink = minus_infinity;
  for (Interval& o : row.o) o = {0, 0};
  if (trace.n == 0) return;
  trace.keys.back().weight = {1, 1};
  trace.m = trace.lse = trace.keys.back().s;
}

}  // namespace

RowEnclosure ArbRung::row(std::int64_t b, std::int64_t h, std::int64_t i) {
  state_->hold_head(b, state_->mask.kv_head(h));
  RowEnclosure row = state_->read_row(b, h, i);
  const ArbRow balls = state_->compute_tight(row, b, h, i);
  row.trace.scale = outward_doubles(balls.scale.get());
  answer_keys(balls, row);
  if (row.row_class == RowClass::empty) answer_empty(row);
  if (row.row_class != RowClass::live) return row;
  row.trace.m = outward_doubles(balls.m.get());
  row.trace.lse = outward_doubles(balls.lse.get());
  row.trace.lse_without_sink = outward_doubles(balls.lse_without_sink.get());
  for (std::size_t d = 0; d < row.o.size(); ++d) {
    row.o[d] = outward_doubles(balls.o.at(static_cast<std::int64_t>(d)));
  }
  return row;
}

}  // namespace qkvet
