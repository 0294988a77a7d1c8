// The problems of one property in a campaign, case by case: from the seed and the property's name,
// part of them steered.
#pragma once

#include <functional>
#include <optional>
#include <qkvet/campaign/coverage.hpp>
#include <qkvet/check/property.hpp>

namespace qkvet {

inline constexpr int redraws_per_case = 20;  ///< vacuous, refused or not applying: draw again

class Drawing {
 public:
  Drawing(const Property& property, std::uint64_t seed);

  struct Case {
    Drawn drawn;
    std::uint64_t seed;
    bool steered;
  };
  /// Case number n, drawn for the `redraw`-th time. `domain_of` chooses the domain with the first of
  /// the choices. The problem is prepared for the property where its domain allows.
  [[nodiscard]] Case draw_case(std::int64_t n, int redraw,
                               const std::function<const Domain&(Choices&)>& domain_of);
  /// The last one counts: it is of these values.
  void accepted(const FeatureValues& values) { steering_.saw(values); }

 private:
  const Property& property_;
  std::uint64_t stream_;
  Steering steering_;
  std::optional<FeatureValues> wishes_;  // of the case that is being drawn
};

}  // namespace qkvet
