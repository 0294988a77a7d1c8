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

TEST(Terms, AFeatureThatTheUserRulesOutIsOutsideTheLimitsOfPlansToo) {
  const std::unique_ptr<Candidate> candidate = in_process(plain_kernel());
  Domain wanted;
  wanted.bool_mask = Allow::never;
  wanted.L = {1, 1};
  const Terms terms = terms_for(Format::binary32, *candidate, std::nullopt, wanted);
  EXPECT_EQ(terms.contract.limits.bool_mask, Allow::never);
  EXPECT_EQ(terms.contract.limits.bias, candidate->contracts().at(Format::binary32).limits.bias);
  // A shape that is wished for is no limit: a plan may still make another one of it.
  EXPECT_EQ(terms.contract.limits.L, candidate->contracts().at(Format::binary32).limits.L);
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

/// Declares what it is told to; runs nothing.
class Declaring final : public Candidate {
 public:
  explicit Declaring(std::string_view contracts, std::string_view source = "candidate") {
    if (!contracts.empty()) contracts_ = read_contracts(contracts, source);
  }
  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const ContractSet& contracts() const override { return contracts_; }
  [[nodiscard]] const char* isolation() const override { return "L0"; }
  using Candidate::run;
  [[nodiscard]] Observation run(const Problem&, const OutputFormats&) override { return {}; }

 private:
  std::string name_ = "declaring";
  ContractSet contracts_;
};

Domain everything() {
  Domain domain;
  domain.formats = all_formats();
  return domain;
}

using Formats = std::vector<Format>;
constexpr Format f32 = Format::binary32, f64 = Format::binary64, bf16 = Format::bfloat16,
                 f16 = Format::binary16;

constexpr std::string_view bf16_and_f32 =
    "contract = a\nbase = bf16-any/1\n[limits]\nformats = bf16\n"
    "contract = b\nbase = f32-any/1\n[limits]\nformats = f32\n";

TEST(UsualFormats, AreF32AndF64WhereNothingIsDeclared) {
  EXPECT_EQ(usual_formats(Declaring(""), std::nullopt, everything()), (Formats{f32, f64}));
}

TEST(UsualFormats, AreThoseOfTheCandidatesOwnContracts) {
  EXPECT_EQ(usual_formats(Declaring(bf16_and_f32), std::nullopt, everything()),
            (Formats{f32, bf16}));
}

TEST(UsualFormats, AreNotThoseThatNobodySpokeOf) {
  const Declaring low("contract = a\nbase = bf16-any/1\n");
  EXPECT_EQ(usual_formats(low, std::nullopt, everything()), Formats{bf16});
  const Declaring wide("contract = a\nbase = f32-any/1\n");
  EXPECT_EQ(usual_formats(wide, std::nullopt, everything()), (Formats{f32, f64}));
  const Declaring listed("contract = a\nbase = f32-any/1\n[limits]\nformats = f32 | f16\n");
  EXPECT_EQ(usual_formats(listed, std::nullopt, everything()), (Formats{f32, f16}));
}

TEST(UsualFormats, AreNotThoseOfAPreset) {
  const Declaring preset(
      "contract = a\nbase = bf16-any/1\n[limits]\nformats = bf16 | f32\n"
      "contract = b\nbase = f32-any/1\n[limits]\nformats = bf16 | f32\n",
      "preset sdpa");
  EXPECT_EQ(usual_formats(preset, std::nullopt, everything()), Formats{f32});
  EXPECT_EQ(taken_formats(preset, std::nullopt, everything()), (Formats{f32, bf16}));
}

TEST(UsualFormats, AreThoseOfTheUsersContract) {
  const ContractSet user{{*builtin_contract("f16-fused")}};
  EXPECT_EQ(usual_formats(Declaring(""), user, everything()), Formats{f16});
  EXPECT_EQ(usual_formats(Declaring(bf16_and_f32), user, everything()), Formats{});
}

TEST(UsualFormats, LieInTheWishedDomain) {
  Domain wanted = everything();
  wanted.formats = {bf16};
  EXPECT_EQ(usual_formats(Declaring(bf16_and_f32), std::nullopt, wanted), Formats{bf16});
}

TEST(Terms, AContractForALowFormatTakesThatFormat) {
  for (const Format format : all_formats()) {
    const Terms terms = terms_for(format, Declaring(""), std::nullopt, everything());
    EXPECT_EQ(terms.domain.formats, Formats{format});
    EXPECT_EQ(terms.contract.format, format);
    EXPECT_TRUE(terms.contract.assumed);
  }
}

}  // namespace
}  // namespace qkvet
