// Step 1 of a fleet kernel: the scores of one query row, in the order of operations of its recipe.
#pragma once

#include <vector>

#include "fleet.hpp"
#include "low.hpp"

namespace fleet {

inline constexpr float log2_e = 1.44269504F;
inline constexpr float ln_2 = 0.693147181F;

/// One row's scores. With exp2 and folded they are in units of ln 2, else natural.
struct Scores {
  std::vector<float> value;         ///< hidden keys hold what the recipe masks with
  std::vector<std::uint8_t> shown;  ///< the mask
  float sink = 0;                   ///< -inf if there is none
  bool empty = true;                ///< no key is visible
};

[[nodiscard]] inline bool in_base_two(const Recipe& recipe) {
  return recipe.exp == Exp::exp2 || recipe.exp == Exp::folded;
}

[[nodiscard]] Scores scores_of_row(const Recipe& recipe, const Inputs& inputs, std::int64_t b,
                                   std::int64_t h, std::int64_t i);

}  // namespace fleet
