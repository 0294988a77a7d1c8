// The ladder against Arb and MPFR on one problem; for the test and for the long run.
#pragma once

#include <array>
#include <cstdint>
#include <qkvet/ladder/ladder.hpp>
#include <string>

#include "hostile.hpp"

namespace qkvet::test {

struct Counts {
  std::array<std::int64_t, steps> by_step{};  ///< outputs, log-sum-exps and weights
  std::int64_t values = 0, outputs = 0;
  std::int64_t decided_by_arb_doubles = 0;  ///< where both ends of Arb's interval round alike
  std::string complaint;                    ///< the first disagreement; empty: none
};

/// Compares every output, LSE and weight of the problem, rounded to `format`.
void compare(Stratum stratum, Format input, Format format, std::uint64_t seed, Counts& counts);

}  // namespace qkvet::test
