// What the fuzz engine looks for: the classes of input that a problem belongs to.
#pragma once

#include <cstdint>
#include <qkvet/problem/problem.hpp>
#include <string_view>
#include <vector>

namespace qkvet {

/// The traits of a problem, each as a hash; sorted, without doubles.
struct Traits {
  std::vector<std::uint64_t> features;  ///< masks, scalars, heads, formats: features_of
  std::vector<std::uint64_t> kinds;     ///< stratum, kinds of rows and masks, layouts
  std::vector<std::uint64_t> sizes;     ///< extents modulo 16, 32 and 64, their magnitudes
  std::uint64_t property = 0;           ///< a class by itself: it is chosen apart from the problem
};
[[nodiscard]] Traits traits_of(const Problem& problem, std::string_view property,
                               std::string_view stratum);

/// The classes of input that these traits make: each trait by itself, each feature with any other
/// trait, and each three features, so that a fault that needs several things at once is reached by
/// way of fewer of them. `headroom`, error / bound of a pass, adds its bucket (a quarter of a power
/// of two), within the stratum and over all.
[[nodiscard]] std::vector<std::uint64_t> fuzz_classes(const Traits& traits,
                                                      std::string_view stratum, double headroom);

}  // namespace qkvet
