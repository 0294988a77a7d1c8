// Which strata a domain leaves, and that each of those is drawn.
#include <gtest/gtest.h>

#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/draw_parts.hpp>
#include <set>
#include <string_view>

namespace qkvet {
namespace {

using Names = std::set<std::string_view>;

Names drawn_in(const Domain& domain) {
  Names names;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    Choices choices = Choices::from_seed(seed);
    const auto stratum = static_cast<std::size_t>(detail::draw_stratum(choices, domain, {}));
    names.insert(strata()[stratum].name);
  }
  return names;
}

Names all_but(const Names& left_out) {
  Names names;
  for (const Stratum& stratum : strata()) {
    if (!left_out.contains(stratum.name)) names.insert(stratum.name);
  }
  return names;
}

TEST(Strata, EachThatADomainAllowsIsDrawnAndNoOther) {
  Domain finite, no_empty_rows, nonfinite;
  finite.nonfinite = no_empty_rows.empty_rows = Allow::never;
  nonfinite.nonfinite = Allow::must;
  EXPECT_EQ(drawn_in(Domain{}), all_but({}));
  EXPECT_EQ(drawn_in(finite), all_but({"visible-nonfinite"}));
  EXPECT_EQ(drawn_in(no_empty_rows), all_but({"empty-rows"}));
  EXPECT_EQ(drawn_in(nonfinite), (Names{"visible-nonfinite", "hidden-garbage"}));
}

}  // namespace
}  // namespace qkvet
