// The rule of docs/oracle.md 5: small beside the value, or small beside what the value is made of.
#include <algorithm>
#include <limits>
#include <qkvet/oracle/tightness.hpp>

namespace qkvet {
namespace {

constexpr double largest = std::numeric_limits<double>::max();

// Narrow beside itself, or beside `scale`, or below what doubles resolve, or wholly out of their
// range.
bool tight(const Interval& x, double scale) {
  if (x.lo >= largest || x.hi <= -largest) return true;
  const double width = x.hi - x.lo;
  return width <= 0x1p-48 * x.magnitude() || width <= 0x1p-90 * scale || width <= 0x1p-1060;
}

double finite_or_one(double x) { return x <= largest ? std::max(x, 1.0) : 1.0; }

std::optional<std::string> key_not_tight(const RowEnclosure& row, const KeyTrace& key) {
  if (!key.finite) return std::nullopt;
  const double scale = finite_or_one(key.A * row.trace.scale.magnitude());
  const std::string place = " of key " + std::to_string(key.key);
  if (!tight(key.x, scale)) return "scaled dot product" + place;
  if (!tight(key.bias, 1)) return "bias" + place;
  if (!tight(key.s, scale)) return "score" + place;
  if (row.row_class == RowClass::live && !tight(key.weight, 0)) return "weight" + place;
  return std::nullopt;
}

}  // namespace

std::optional<std::string> not_tight(const RowEnclosure& row,
                                     const std::vector<double>& value_max) {
  if (!tight(row.trace.scale, 0)) return "scale";
  for (const KeyTrace& key : row.trace.keys) {
    if (auto place = key_not_tight(row, key)) return place;
  }
  if (row.row_class == RowClass::nonfinite) return std::nullopt;
  const double score_scale = finite_or_one(row.trace.m.magnitude());
  if (!tight(row.trace.m, 1)) return "maximum";
  if (!tight(row.trace.lse, score_scale)) return "log-sum-exp";
  if (!tight(row.trace.lse_without_sink, score_scale)) return "log-sum-exp without the sink";
  for (std::size_t d = 0; d < row.o.size(); ++d) {
    const ColumnFacts& column = row.columns[d];
    if (column.visible_nan || column.visible_inf) continue;
    if (!tight(row.o[d], value_max[d])) return "output " + std::to_string(d);
  }
  return std::nullopt;
}

}  // namespace qkvet
