#include "properties/prepare.hpp"

#include <limits>
#include <qkvet/problem/draw.hpp>

#include "properties/tools.hpp"

namespace qkvet {

void hide_something(Problem& p, std::uint64_t seed) {
  if (!hides_nothing(p, Contract{})) return;
  const Shape& s = p.shape;
  const auto entries = static_cast<std::size_t>(s.B);
  Choices choices = Choices::from_seed(seed);
  switch (choices.below(3)) {
    case 0:
      p.mask.causal = true;
      return;
    case 1: {
      BoolMask mask{{1, 1, s.L, s.S}, {}};
      for (std::int64_t n = 0; n < s.L * s.S; ++n) mask.attend.push_back(!choices.chance(1, 3));
      p.mask.attend = std::move(mask);
      p.layouts.attend = {};
      return;
    }
    default:
      p.mask.key_range = KeyRange{std::vector<std::int64_t>(entries, choices.between(0, s.S / 2)),
                                  std::vector<std::int64_t>(entries, s.S - s.S / 3)};
  }
}

void empty_a_row(Problem& p, std::uint64_t seed) {
  const Shape& s = p.shape;
  Choices choices = Choices::from_seed(seed);
  const std::int64_t row = choices.between(0, s.L - 1);
  const auto in_row = [&](std::int64_t n) { return s.S > 0 && n / s.S == row; };
  switch (choices.below(4)) {
    case 0: {
      BoolMask mask{{1, 1, s.L, s.S}, {}};
      for (std::int64_t n = 0; n < s.L * s.S; ++n) mask.attend.push_back(in_row(n) ? 0 : 1);
      p.mask.attend = std::move(mask);
      p.layouts.attend = {};
      return;
    }
    case 1: {
      Tensor bias = make_tensor(p.format, {1, 1, s.L, s.S});
      const double minus_infinity = -std::numeric_limits<double>::infinity();
      for (std::int64_t j = 0; j < s.S; ++j) bias.set(0, 0, row, j, minus_infinity);
      p.mask.bias = std::move(bias);
      p.layouts.bias = {};
      return;
    }
    case 2: {
      const auto entries = static_cast<std::size_t>(s.B);
      KeyRange range{std::vector<std::int64_t>(entries, 0),
                     std::vector<std::int64_t>(entries, s.S)};
      range.end[static_cast<std::size_t>(choices.between(0, s.B - 1))] = 0;
      p.mask.key_range = range;
      return;
    }
    default:
      p.mask.causal = true;
      p.mask.diagonal = {Diagonal::Kind::bottom_right, {}};  // empty rows if L > S
  }
}

}  // namespace qkvet
