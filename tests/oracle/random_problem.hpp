// Small random problems with every feature, for the oracle's own tests: simple on purpose, and
// apart from `draw`, whose strata are tested too.
#pragma once

#include <cstdint>
#include <qkvet/problem/problem.hpp>
#include <random>

namespace qkvet::test {

/// A source of reproducible choices: raw mt19937_64 words only.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : words_(seed) {}
  std::int64_t upto(std::int64_t most) {
    return static_cast<std::int64_t>(words_() % static_cast<std::uint64_t>(most + 1));
  }
  bool one_in(std::int64_t n) { return upto(n - 1) == 0; }
  /// About normal, on a grid.
  double normal() {
    double sum = 0;
    for (int n = 0; n < 12; ++n) sum += static_cast<double>(words_() >> 11) * 0x1p-53;
    return sum - 6;
  }

 private:
  std::mt19937_64 words_;
};

/// Valid by construction; `spread` multiplies q.
Problem random_problem(std::uint64_t seed, double spread = 1);

/// The worked example of the README: d_k = 1, keys 0 and ln 3 (in binary64), values 10 and 20.
Problem worked_example(double query);

}  // namespace qkvet::test
