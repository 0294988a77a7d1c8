// Cutting a shape to the work that its case may cost: no extent falls below what a wish needs, but
// where that costs too much.
#include <algorithm>
#include <array>
#include <cmath>
#include <qkvet/problem/draw_parts.hpp>

namespace qkvet::detail {
namespace {

double work_of(const Shape& s) {
  double work = static_cast<double>(s.d_k + s.d_v);
  for (std::int64_t extent : {s.B, s.H_q, s.L, s.S}) work *= static_cast<double>(extent);
  return work;
}

/// The least extents.
struct Floors {
  std::int64_t B = 1, L = 1, S = 1, d_k = 1, d_v = 1;
  bool heads = false;  ///< heads stay as they are
};

bool any(const FeatureValues& w, std::initializer_list<Feature> features) {
  return std::any_of(features.begin(), features.end(), [&](Feature f) { return w.wants(f); });
}

/// Of the class of d_k that was wished for, the least.
std::int64_t least_key_channels(const FeatureValues& w, std::int64_t d_k) {
  constexpr std::array<std::int64_t, 4> least{1, 9, 32, 33};
  const std::int8_t wish = w[Feature::key_channels];
  if (wish > 0) return std::min(d_k, least[static_cast<std::size_t>(wish)]);
  const bool inner = w.is(Feature::layout_q, 3) || w.is(Feature::layout_k, 3);
  return w.is(Feature::value_channels, 1) || inner ? 2 : 1;
}

std::int64_t least_value_channels(const FeatureValues& w, const Floors& least) {
  const std::int8_t wish = w[Feature::value_channels];
  if (wish == 0) return least.d_k;
  if (wish == 2) return least.d_k + 1;
  return w.is(Feature::layout_v, 3) || w.is(Feature::layout_o, 3) ? 2 : 1;
}

/// What the wishes need of a shape that has it: as it was drawn, or the least that will do.
Floors floors_of(const FeatureValues& w, const Shape& s, bool least) {
  Floors out;
  const bool shared = w.is(Feature::layout_q, 4) || w.is(Feature::layout_k, 4) ||
                      w.is(Feature::layout_v, 4);
  out.heads = shared || any(w, {Feature::group, Feature::kv_heads, Feature::mask_heads,
                                Feature::bias_heads});
  if (shared || any(w, {Feature::batch, Feature::mask_batch, Feature::bias_batch})) {
    out.B = least ? std::min<std::int64_t>(s.B, 2) : s.B;
  }
  if (any(w, {Feature::lengths, Feature::rows, Feature::mask_rows, Feature::bias_rows})) {
    const bool hole = w.wants(Feature::tile_hole) && w.is(Feature::causal, 1);
    const bool exact = !least || hole || w[Feature::lengths] >= 2 || w.wants(Feature::rows);
    out.L = exact ? s.L : std::min<std::int64_t>(s.L, 2);
  }
  if (any(w, {Feature::keys, Feature::keys_in_tile, Feature::first_tile, Feature::last_tile,
              Feature::inside_only, Feature::tile_hole, Feature::mask_keys, Feature::bias_keys,
              Feature::lengths})) {
    out.S = s.S;
  }
  if (least) {
    out.d_k = std::min(s.d_k, least_key_channels(w, s.d_k));
    out.d_v = std::min(s.d_v, least_value_channels(w, out));
  } else if (any(w, {Feature::key_channels, Feature::value_channels})) {
    out.d_k = s.d_k;
    out.d_v = s.d_v;
  }
  return out;
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

/// In proportion; a wish for a class of d_k or d_v gets the least numbers of it.
void cut_channels(Shape& s, const Domain& domain, const FeatureValues& w, const Floors& least,
                  double target) {
  const double work = work_of(s);
  if (work <= target) return;
  const bool exact = any(w, {Feature::key_channels, Feature::value_channels}) ||
                     w.is(Feature::value_channels, 0);
  const double ratio = exact ? 0 : target / work;
  const auto less = [&](std::int64_t extent, const Range& range, std::int64_t floor) {
    const auto wish = static_cast<std::int64_t>(static_cast<double>(extent) * ratio);
    return extent == 0 ? 0 : std::max({wish, range.min, floor});
  };
  s.d_k = less(s.d_k, domain.d_k, least.d_k);
  s.d_v = less(s.d_v, domain.d_v, least.d_v);
}

void cut_heads(Shape& s, const Domain& domain, double target) {
  if (work_of(s) <= target || s.H_q == 0) return;
  Shape least = s;
  if (fit_heads(domain, least) && least.H_q < s.H_q) {
    s.H_q = least.H_q;
    s.H_kv = least.H_kv;
  }
}

void trim_to(double target, const Domain& domain, std::uint64_t order, const FeatureValues& w,
             const Floors& least, Shape& s) {
  const bool same_lengths = domain.unequal_lengths == Allow::never;
  const std::int64_t square = std::max({domain.L.min, domain.S.min, least.L, least.S});
  const auto cut_rows = [&] {
    if (same_lengths) {
      cut(s, {&s.L, &s.S}, square, target);
    } else {
      cut(s, {&s.L}, std::max(domain.L.min, least.L), target);
    }
  };
  const auto cut_batch = [&] { cut(s, {&s.B}, std::max(domain.B.min, least.B), target); };
  if (order != 0) cut_batch();
  if (order == 1) cut_channels(s, domain, w, least, target);
  if (order == 2 && !least.heads) cut_heads(s, domain, target);
  cut_rows();
  cut_channels(s, domain, w, least, target);
  if (!least.heads) cut_heads(s, domain, target);
  cut_batch();
  if (!same_lengths) cut(s, {&s.S}, std::max(domain.S.min, least.S), target);
}

/// What a wish may cost, where the domain has it: many rows of many keys, and many channels of them,
/// do not come for less in a small case. The dearest wish is granted every other time.
std::int64_t cost_of(Choices& c, const FeatureValues& w, const CaseSize& size) {
  const bool square = w[Feature::lengths] >= 2 || w.is(Feature::tile_hole, 1);
  const bool wide = w[Feature::key_channels] >= 2;
  if (w.is(Feature::keys, 3) && square && c.chance(1, 2)) {
    return std::max<std::int64_t>(40 * size.usual, 250'000);
  }
  const bool many = w.is(Feature::keys, 2) || w.is(Feature::keys, 3) ||
                    any(w, {Feature::keys_in_tile, Feature::tile_hole, Feature::inside_only});
  if (size.usual >= full_size.usual) return 8 * size.usual;
  return (many && wide ? 24 : many && square ? 16 : 8) * size.usual;
}

}  // namespace

void trim(Choices& c, const Domain& domain, const FeatureValues& w, const CaseSize& size,
          std::int64_t work, Shape& s) {
  const std::uint64_t order = c.below(3);
  const bool least = size.usual < full_size.usual;
  trim_to(static_cast<double>(work), domain, order, w, floors_of(w, s, least), s);
  if (w == FeatureValues{}) return;
  const std::int64_t most = std::min(std::max(work, cost_of(c, w, size)), domain.work_budget);
  Floors no_channels = floors_of(w, s, least);
  no_channels.d_k = no_channels.d_v = 1;
  trim_to(static_cast<double>(most), domain, order, {}, no_channels, s);
  trim_to(static_cast<double>(most), domain, order, {}, {}, s);
}

}  // namespace qkvet::detail
