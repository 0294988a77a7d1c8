// The exact range of a weighted mean whose weights lie in a box, by sorting.  docs/bounds.md 5.2
#include <algorithm>
#include <cmath>
#include <qkvet/bound/row_bound.hpp>

namespace qkvet::bound {
namespace {

/// The largest weighted mean above `low`: items sorted by v descending; the first k take hi, the
/// rest lo. All summands are v - low >= 0, so that every sum rounds up and every divisor down.
Mag largest_mean(const std::vector<BoxItem>& items, double low) {
  const std::size_t n = items.size();
  std::vector<Mag> suffix(n + 1);
  std::vector<double> suffix_weight(n + 1, 0);
  for (std::size_t k = n; k-- > 0;) {
    const Mag height{std::max(0.0, add_up(items[k].v, -low))};
    suffix[k] = suffix[k + 1] + Mag{items[k].lo} * height;
    suffix_weight[k] = down_add(suffix_weight[k + 1], items[k].lo);
  }
  Mag prefix, best;
  double prefix_weight = 0;
  for (std::size_t k = 0; k <= n; ++k) {
    const double weight = down_add(prefix_weight, suffix_weight[k]);
    if (weight > 0) best = max(best, divide(prefix + suffix[k], weight));
    if (k == n) break;
    prefix += Mag{items[k].hi} * Mag{std::max(0.0, add_up(items[k].v, -low))};
    prefix_weight = down_add(prefix_weight, items[k].hi);
  }
  return best;
}

}  // namespace

Interval box_range(std::vector<BoxItem> items) {
  std::sort(items.begin(), items.end(),
            [](const BoxItem& a, const BoxItem& b) { return a.v > b.v; });
  const double high = items.front().v;
  const double low = items.back().v;
  double surely = 0;
  for (const BoxItem& item : items) {
    if (!(item.hi <= std::numeric_limits<double>::max())) return {low, high};
    surely = std::max(surely, item.hi);
  }
  if (!(surely > 0)) return {low, high};
  Interval range{low, high};
  const Mag up = largest_mean(items, low);
  if (up.is_finite()) range.hi = std::min(high, add_up(low, up.value()));
  // The smallest mean is the largest of the mirrored values.
  std::reverse(items.begin(), items.end());
  for (BoxItem& item : items) item.v = -item.v;
  const Mag down = largest_mean(items, -high);
  if (down.is_finite()) range.lo = std::max(low, add_down(high, -down.value()));
  return range;
}

}  // namespace qkvet::bound
