// Smaller shapes: one index of an axis, then without halves, quarters, ... single indices of it;
// then shorter by a power of two, which keeps the extent's place in its tile.
#include <algorithm>
#include <bit>
#include <numeric>
#include <qkvet/problem/simpler_parts.hpp>

namespace qkvet::detail {
namespace {

using Kept = std::vector<std::int64_t>;

constexpr std::int64_t most_places = 12;  // tried per chunk size, so that long axes stay affordable

Kept without(std::int64_t extent, std::int64_t from, std::int64_t count) {
  Kept kept(static_cast<std::size_t>(extent));
  std::iota(kept.begin(), kept.end(), 0);
  kept.erase(kept.begin() + from, kept.begin() + from + count);
  return kept;
}

/// The same cut with diagonals as numbers, so that the rows and keys that stay see what they saw.
Problem with_fixed_diagonal(const Problem& before, const Problem& after, Axis axis,
                            std::int64_t first) {
  Problem p = after;
  p.mask.diagonal = fix(before).mask.diagonal;
  const std::int64_t shift = axis == Axis::row ? first : axis == Axis::key ? -first : 0;
  for (std::int64_t& offset : p.mask.diagonal.offsets) offset += shift;
  return p;
}

bool offer_cut(Pass& pass, Axis axis, const Kept& kept) {
  const Problem before = pass.current();
  const Problem after = cut(before, axis, kept);
  if (pass.offer(after)) return true;
  const bool along_diagonal = axis == Axis::row || axis == Axis::key || axis == Axis::row_and_key;
  if (along_diagonal && uses_diagonal(before) && !kept.empty() && before.shape.B > 0) {
    const bool contiguous =
        kept.back() - kept.front() + 1 == static_cast<std::int64_t>(kept.size());
    if (contiguous && pass.offer(with_fixed_diagonal(before, after, axis, kept.front())))
      return true;
  }
  if ((axis == Axis::d_k || axis == Axis::d_both) && !before.scale) {
    Problem scaled = after;
    scaled.scale = scale_value(before);
    return pass.offer(scaled);
  }
  return false;
}

std::int64_t least(const Domain& domain, Axis axis) {
  switch (axis) {
    case Axis::batch:
      return domain.B.min;
    case Axis::kv_head:
      return domain.H_kv.min;
    case Axis::group:
      return 1;
    case Axis::row:
      return domain.L.min;
    case Axis::key:
      return domain.S.min;
    case Axis::row_and_key:
      return std::max(domain.L.min, domain.S.min);
    case Axis::d_k:
      return domain.d_k.min;
    case Axis::d_v:
      return domain.d_v.min;
    case Axis::d_both:
      return std::max(domain.d_k.min, domain.d_v.min);
  }
  return 1;
}

void reduce(Pass& pass, Axis axis) {
  const std::int64_t floor = std::max<std::int64_t>(least(pass.domain(), axis), 1);
  const std::int64_t start = extent(pass.current(), axis);
  if (start <= floor) return;
  if (offer_cut(pass, axis, without(start, floor, start - floor))) return;  // the first ones
  if (offer_cut(pass, axis, without(start, 0, start - floor))) return;      // the last ones
  for (std::int64_t chunk = start / 2; chunk >= 1; chunk /= 2) {
    std::int64_t at = 0;
    while (true) {
      const std::int64_t now = extent(pass.current(), axis);
      const std::int64_t count = std::min(chunk, now - floor);
      if (count < 1 || at >= now) break;
      // From the end towards the front, the last place included exactly.
      const std::int64_t from = std::max<std::int64_t>(now - at - count, 0);
      if (!offer_cut(pass, axis, without(now, from, count))) {
        if (from == 0) break;
        at += std::max(chunk, now / most_places);
        if (at + count > now) at = now - count;
      }
    }
  }
}

/// What a fault of tiles needs is a remainder: 193 keys become 65 by 128 fewer, an odd extent 3 by
/// pairs. Position matters less then: the last ones, or the first ones.
void reduce_by_tiles(Pass& pass, Axis axis) {
  const std::int64_t floor = std::max<std::int64_t>(least(pass.domain(), axis), 1);
  const std::int64_t room = extent(pass.current(), axis) - floor;
  if (room < 3) return;  // Halves have tried all of it.
  const auto shorter_by = [&](std::int64_t count) {
    const std::int64_t now = extent(pass.current(), axis);
    return now - count >= floor && (offer_cut(pass, axis, without(now, now - count, count)) ||
                                    offer_cut(pass, axis, without(now, 0, count)));
  };
  for (std::int64_t count = std::int64_t{1} << std::bit_width(static_cast<std::uint64_t>(room) / 2);
       count >= 2; count /= 2) {
    while (shorter_by(count)) {
    }
  }
  while (shorter_by(3)) {
  }
}

}  // namespace

void simplify_shape(Pass& pass) {
  for (Axis axis : {Axis::batch, Axis::kv_head, Axis::group, Axis::row, Axis::key,
                    Axis::row_and_key, Axis::d_k, Axis::d_v, Axis::d_both}) {
    reduce(pass, axis);
    reduce_by_tiles(pass, axis);
  }
}

}  // namespace qkvet::detail
