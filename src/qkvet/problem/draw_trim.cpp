// Cutting a shape to the work that its case may cost: what was wished for is cut last.
#include <algorithm>
#include <cmath>
#include <qkvet/problem/draw_parts.hpp>

namespace qkvet::detail {
namespace {

double work_of(const Shape& s) {
  double work = static_cast<double>(s.d_k + s.d_v);
  for (std::int64_t extent : {s.B, s.H_q, s.L, s.S}) work *= static_cast<double>(extent);
  return work;
}

/// Cuts one extent (or two that are equal by the domain's wish) so that the work meets the target.
void cut(Shape& s, std::initializer_list<std::int64_t*> extents, std::int64_t floor,
         double target) {
  const double work = work_of(s);
  std::int64_t& first = **extents.begin();
  if (work <= target || first <= std::max<std::int64_t>(floor, 1)) return;
  const double ratio = target / work;
  const bool square = extents.size() == 2;
  const double wish = static_cast<double>(first) * (square ? std::sqrt(ratio) : ratio);
  const std::int64_t next = std::max({static_cast<std::int64_t>(wish), floor, std::int64_t{1}});
  for (std::int64_t* extent : extents) *extent = next;
}

void cut_channels(Shape& s, const Domain& domain, double target) {
  const double work = work_of(s);
  if (work <= target) return;
  const double ratio = target / work;
  const auto less = [&](std::int64_t extent, const Range& range) {
    const auto wish = static_cast<std::int64_t>(static_cast<double>(extent) * ratio);
    return extent == 0 ? 0 : std::max({wish, range.min, std::int64_t{1}});
  };
  s.d_k = less(s.d_k, domain.d_k);
  s.d_v = less(s.d_v, domain.d_v);
}

void cut_heads(Shape& s, const Domain& domain, double target) {
  if (work_of(s) <= target || s.H_q == 0) return;
  Shape least = s;
  if (fit_heads(domain, least) && least.H_q < s.H_q) {
    s.H_q = least.H_q;
    s.H_kv = least.H_kv;
  }
}

/// What must not be cut yet.
struct Kept {
  bool batch = false, heads = false, rows = false, keys = false, channels = false;
};

Kept kept_by(const FeatureValues& w) {
  const auto any = [&](std::initializer_list<Feature> features) {
    return std::any_of(features.begin(), features.end(), [&](Feature f) { return w.wants(f); });
  };
  Kept kept;
  const bool shared = w.is(Feature::layout_q, 4) || w.is(Feature::layout_k, 4) ||
                      w.is(Feature::layout_v, 4);
  kept.batch = shared || any({Feature::batch, Feature::mask_batch, Feature::bias_batch});
  kept.heads =
      shared || any({Feature::group, Feature::kv_heads, Feature::mask_heads, Feature::bias_heads});
  kept.rows = any({Feature::lengths, Feature::rows, Feature::mask_rows, Feature::bias_rows});
  kept.keys = any({Feature::keys, Feature::keys_in_tile, Feature::first_tile, Feature::last_tile,
                   Feature::inside_only, Feature::tile_hole, Feature::mask_keys,
                   Feature::bias_keys, Feature::lengths});
  kept.channels = any({Feature::key_channels, Feature::value_channels});
  return kept;
}

void trim_to(double target, const Domain& domain, std::uint64_t order, const Kept& kept, Shape& s) {
  const bool same_lengths = domain.unequal_lengths == Allow::never;
  const std::int64_t least = std::max(domain.L.min, domain.S.min);
  const auto cut_rows = [&] {
    if (kept.rows) return;
    if (same_lengths) {
      cut(s, {&s.L, &s.S}, least, target);
    } else {
      cut(s, {&s.L}, domain.L.min, target);
    }
  };
  if (order != 0 && !kept.batch) cut(s, {&s.B}, domain.B.min, target);
  if (order == 1 && !kept.channels) cut_channels(s, domain, target);
  if (order == 2 && !kept.heads) cut_heads(s, domain, target);
  cut_rows();
  if (!kept.channels) cut_channels(s, domain, target);
  if (!kept.heads) cut_heads(s, domain, target);
  if (!kept.batch) cut(s, {&s.B}, domain.B.min, target);
  if (!same_lengths && !kept.keys) cut(s, {&s.S}, domain.S.min, target);
}

}  // namespace

void trim(Choices& c, const Domain& domain, const FeatureValues& w, std::int64_t work, Shape& s) {
  // What a wish may cost, where the domain has it; many rows of many keys do not come for less.
  const bool square = w.is(Feature::keys, 3) && w[Feature::lengths] >= 2;
  const std::int64_t wished = square ? 400'000 : 80'000;
  const std::uint64_t order = c.below(3);
  const Kept kept = kept_by(w);
  trim_to(static_cast<double>(work), domain, order, kept, s);
  const bool any = kept.batch || kept.heads || kept.rows || kept.keys || kept.channels;
  if (!any) return;
  const std::int64_t most = std::min(std::max(work, wished), domain.work_budget);
  Kept less = kept;
  less.channels = false;
  trim_to(static_cast<double>(most), domain, order, less, s);
  trim_to(static_cast<double>(most), domain, order, {}, s);
}

}  // namespace qkvet::detail
