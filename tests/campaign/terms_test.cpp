#include <gtest/gtest.h>

#include <qkvet/campaign/campaign.hpp>
#include <qkvet/campaign/profiles.hpp>

#include "kernels.hpp"
#include "properties/registry.hpp"

namespace qkvet {
namespace {

TEST(ShellQuoted, LeavesPlainWordsAndQuotesTheRest) {
  EXPECT_EQ(shell_quoted("./lib.so:fn"), "./lib.so:fn");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("a b*$x"), "'a b*$x'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
}

TEST(ReproLine, HasTheBitsInlineBelow300CharactersElseTheFile) {
  const std::string brief(299, 'x'), lengthy(300, 'x');
  EXPECT_EQ(repro_line(brief, "out/a.case", "matches-reference", "./a.so", ""),
            "qkvet repro '" + brief + "' ./a.so --prop matches-reference");
  EXPECT_EQ(repro_line(lengthy, "out/a.case", "convex-hull", "./a.so", " --like onnx"),
            "qkvet repro out/a.case ./a.so --prop convex-hull --like onnx");
}

TEST(ReproLine, HasTheBitsWhenNothingWasSaved) {
  const std::string lengthy(300, 'x');
  EXPECT_EQ(repro_line(lengthy, "", "matches-reference", "./a.so", ""),
            "qkvet repro '" + lengthy + "' ./a.so --prop matches-reference");
}

TEST(Profiles, GiveTheNumbersOfTheInterface) {
  const Property& reference = *property_named("matches-reference");
  const Property& other = *property_named("convex-hull");
  EXPECT_GE(cases_of(*profile_named("ci"), reference), 2000);
  EXPECT_GE(cases_of(*profile_named("ci"), other), 300);
  EXPECT_EQ(profile_named("nightlyy"), nullptr);
}

TEST(Terms, TheUsersContractWinsAndTheCandidatesLimitsStay) {
  const std::unique_ptr<Candidate> candidate = in_process(plain_kernel());
  const ContractSet strict{{*builtin_contract("f32-ieee")}};
  const Terms terms = terms_for(Format::binary32, *candidate, strict, Domain{});
  EXPECT_EQ(terms.contract.name, "f32-ieee");
  EXPECT_EQ(terms.domain.bias, Allow::never);
  EXPECT_EQ(terms.domain.formats, std::vector{Format::binary32});
}

TEST(Terms, AFormatThatTheCandidateDoesNotTakeIsNotDrawn) {
  const std::unique_ptr<Candidate> candidate = in_process(plain_kernel());
  EXPECT_TRUE(
      terms_for(Format::binary64, *candidate, std::nullopt, Domain{}).domain.formats.empty());
}

}  // namespace
}  // namespace qkvet
