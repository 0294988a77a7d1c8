#include <qkvet/campaign/coverage.hpp>
#include <qkvet/campaign/drawing.hpp>
#include <qkvet/num/float_environment.hpp>

namespace qkvet {

Coverage measure_coverage(const Profile& profile, std::span<const Property* const> properties,
                          std::uint64_t seed, double share, std::int64_t wanted) {
  const DefaultFloatEnvironment environment;
  Coverage out;
  Domain domain;
  domain.work_budget = profile.work_budget;
  ContractSet unlimited;
  for (const Property* property : properties) {
    Drawing drawing(*property, seed);
    const auto cases = static_cast<std::int64_t>(
        share * static_cast<double>(cases_of(profile, *property)));
    for (std::int64_t n = 0; n < cases; ++n) {
      for (int redraw = 0; redraw < redraws_per_case; ++redraw) {
        const Drawing::Case one = drawing.draw_case(n, redraw, [&](Choices& choices) -> const Domain& {
          domain.formats = {drawn_formats()[choices.below(drawn_formats().size())]};
          return domain;
        });
        const Contract contract = unlimited.at(one.drawn.problem.format);
        if (property->applies(one.drawn.problem, contract)) continue;
        const FeatureValues seen = features_in(one.drawn.problem, one.drawn.stratum);
        drawing.accepted(seen);
        out.counts.add(seen);
        break;
      }
    }
  }
  const auto all = all_feature_values();
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (!why_excluded(all[a], all[b]).empty()) continue;
      ++out.pairs;
      const std::int64_t count = out.counts.of(all[a], all[b]);
      if (count < wanted) out.rare.push_back({all[a], all[b], count});
    }
  return out;
}

}  // namespace qkvet
