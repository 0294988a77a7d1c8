// Step 1 of a fleet kernel: the scores of one query row, in the order of operations of its recipe.
#pragma once

#include <numbers>
#include <vector>

#include "fleet.hpp"
#include "low.hpp"

namespace fleet {

template <class Real>
inline constexpr Real log2_e = std::numbers::log2e_v<Real>;
template <class Real>
inline constexpr Real ln_2 = std::numbers::ln2_v<Real>;

/// One row's scores. With exp2 and folded they are in units of ln 2, else natural.
template <class Real>
struct Scores {
  std::vector<Real> value;          ///< hidden keys hold what the recipe masks with
  std::vector<std::uint8_t> shown;  ///< the mask
  Real sink = 0;                    ///< -inf if there is none
  bool empty = true;                ///< no key is visible
};

[[nodiscard]] inline bool in_base_two(const Recipe& recipe) {
  return recipe.exp == Exp::exp2 || recipe.exp == Exp::folded;
}

template <class Real>
[[nodiscard]] Scores<Real> scores_of_row(const Recipe& recipe, const Inputs<Real>& inputs,
                                         std::int64_t b, std::int64_t h, std::int64_t i);

}  // namespace fleet
