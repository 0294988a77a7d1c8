// Filling tensors value by value: shared by the parts of `draw`, internal to the room.
#pragma once

#include <algorithm>
#include <qkvet/num/convert.hpp>
#include <qkvet/problem/draw_parts.hpp>

namespace qkvet::detail {

/// x, or the largest number of the format where x is beyond it.
[[nodiscard]] inline double inside(double x, double most) {
  return std::max(-most, std::min(x, most));
}

/// Stores values rounded once; what would overflow becomes the largest number.
template <class Value>
void fill(Tensor& tensor, const Value& value) {
  const std::array<std::int64_t, 4> extents = tensor.extents;
  const double most = info(tensor.format).max;
  std::uint64_t* to = tensor.bits.data();
  convert::with_format(tensor.format, [&](auto known) {
    for (std::int64_t head = 0; head < extents[0] * extents[1]; ++head)
      for (std::int64_t i = 0; i < extents[2]; ++i)
        for (std::int64_t d = 0; d < extents[3]; ++d)
          *to++ = convert::narrow<decltype(known)::value>(inside(value(head, i, d), most));
  });
}

inline void fill_gaussian(Choices& c, Tensor& tensor, double size) {
  fill(tensor, [&](std::int64_t, std::int64_t, std::int64_t) { return size * c.gaussian(); });
}

/// Ordinary q and k: scores of order one, unless an explicit scale makes them larger (up to 8).
void plain_scores(Choices& choices, Problem& problem);
/// q and k whose scores have about the standard deviation `wanted`.
void gaussian_scores(Choices& choices, Problem& problem, double wanted);
/// q and k of a stratum that designs scores; false if it does not.
bool draw_scores(Choices& choices, Values stratum, Problem& problem);

}  // namespace qkvet::detail
