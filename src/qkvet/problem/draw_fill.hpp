// Filling tensors value by value: shared by the parts of `draw`, internal to the room.
#pragma once

#include <algorithm>
#include <qkvet/problem/draw_parts.hpp>

namespace qkvet::detail {

/// Stores x rounded once; what would overflow becomes the largest number.
inline void put(Tensor& tensor, std::size_t at, double x) {
  const double most = info(tensor.format).max;
  tensor.bits[at] = encode(tensor.format, std::max(-most, std::min(x, most)));
}

template <class Value>
void fill(Tensor& tensor, const Value& value) {
  std::size_t at = 0;
  for (std::int64_t a = 0; a < tensor.extents[0]; ++a)
    for (std::int64_t b = 0; b < tensor.extents[1]; ++b)
      for (std::int64_t i = 0; i < tensor.extents[2]; ++i)
        for (std::int64_t d = 0; d < tensor.extents[3]; ++d)
          put(tensor, at++, value(a * tensor.extents[1] + b, i, d));
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
