// RapidCheck drives every property over problems that `draw` makes, and shrinks through `simpler`.
// A failure prints the seed of the draw and the command that repeats it.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <memory>
#include <qkvet/campaign/corpus.hpp>
#include <qkvet/check/examine.hpp>
#include <qkvet/kernels/kernels.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/simpler.hpp>
#include <qkvet/problem/text.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../../tests/support/plain_candidate.hpp"
#include "properties/registry.hpp"

namespace qkvet {
namespace {

constexpr int cases_per_property = 50;
constexpr int cases_of_special_values = 25;    // their plans are long, each run of them is dear
constexpr int draws_per_case = 40;             // until one applies and has power
constexpr std::size_t shrinks_per_step = 200;  // the boldest ones come first

/// What RapidCheck shows and shrinks: a problem, where it came from, and how to run it again.
struct Case {
  Problem problem;
  std::uint64_t seed = 0;
  std::string_view property, kernel;
};

void showValue(const Case& c, std::ostream& out) {
  out << "drawn from seed " << c.seed << "\nqkvet repro '" << write_case(c.problem)
      << "' builtin:" << c.kernel << " --prop " << c.property;
}

/// What the properties are tried on here: small cases, so that hundreds of each take seconds.
Domain small_cases(const Contract& contract) {
  Domain wanted;
  wanted.formats = {contract.format};
  wanted.work_budget = 20'000;
  return intersect(contract.limits, wanted);
}

Case drawn(std::uint64_t seed, const Property& property, std::string_view kernel,
           const Contract& contract, const Domain& domain) {
  Case out{{}, seed, property.name, kernel};
  for (int draws = 0; draws < draws_per_case; ++draws) {
    Choices choices = Choices::from_seed(mix(seed + static_cast<std::uint64_t>(draws)));
    out.problem = draw(choices, domain).problem;
    if (property.prepare != nullptr) {
      Problem prepared = out.problem;
      property.prepare(prepared, mix(seed));
      if (!outside(domain, prepared)) out.problem = std::move(prepared);
    }
    if (!property.applies(out.problem, contract)) return out;
  }
  return out;
}

rc::Seq<Case> simpler_cases(const Case& from, const Domain& domain) {
  std::vector<Case> steps;
  (void)simpler(from.problem, domain, [&](const Problem& smaller) {
    steps.push_back(from);
    steps.back().problem = smaller;
    return steps.size() >= shrinks_per_step;
  });
  return rc::seq::fromContainer(std::move(steps));
}

rc::Gen<Case> cases(const Property& property, std::string_view kernel, const Contract& contract,
                    const Domain& domain) {
  return [&property, kernel, &contract, &domain](const rc::Random& random, int) {
    rc::Random source = random;
    const Case first = drawn(source.next(), property, kernel, contract, domain);
    return rc::shrinkable::shrinkRecur(
        first, [&domain](const Case& from) { return simpler_cases(from, domain); });
  };
}

struct Counts {
  int pass = 0, other = 0;
};

bool is_of_special_values(const Property& property) {
  static constexpr std::string_view names[] = {"visible-nan-due", "infinity-confined",
                                               "no-overflow", "signed-zero", "subnormal"};
  return std::find(std::begin(names), std::end(names), property.name) != std::end(names);
}

int cases_of(const Property& property) {
  return is_of_special_values(property) ? cases_of_special_values : cases_per_property;
}

/// Runs one property on one candidate; a finding is RapidCheck's failure.
rc::detail::TestResult run(const Property& property, std::string_view kernel, Candidate& candidate,
                           const Contract& contract, const Domain& domain, Counts& counts) {
  const auto holds = [&] {
    const Case c = *cases(property, kernel, contract, domain);
    if (property.applies(c.problem, contract)) RC_DISCARD("does not apply");
    const Verdict verdict = examine(c.problem, property, candidate, contract, {CrossCheck::always});
    (std::holds_alternative<Pass>(verdict) ? counts.pass : counts.other) += 1;
    if (const Finding* finding = finding_of(verdict)) RC_FAIL(finding->message);
  };
  rc::detail::TestParams params;
  params.seed = mix(static_cast<std::uint64_t>(property.name.size()) ^ 2026);
  params.maxSuccess = cases_of(property);
  rc::detail::TestMetadata about;
  about.id = std::string(property.name);
  return rc::detail::checkTestable(holds, about, params);
}

std::string text_of(const rc::detail::TestResult& result) {
  std::ostringstream text;
  rc::detail::printResultMessage(result, text);
  return text.str();
}

/// What is known comes first: the cases of the corpus that are for the property.
void replay_corpus(const Property& property, std::string_view kernel, Candidate& candidate,
                   const Contract& contract) {
  static const Corpus corpus = read_corpus(QKVET_CORPUS);
  for (const CorpusCase& item : corpus.cases) {
    const Problem& problem = item.example.problem;
    if (!is_for(item, property.name) || is_dear(item) || outside(contract.limits, problem)) continue;
    if (property.applies(problem, contract)) continue;
    const Verdict verdict = examine(problem, property, candidate, contract, {CrossCheck::never});
    const Finding* finding = finding_of(verdict);
    EXPECT_EQ(finding, nullptr) << "qkvet repro " << QKVET_CORPUS << "/" << item.source
                                << " builtin:" << kernel << " --prop " << property.name;
  }
}

struct Subject {
  std::string_view property, kernel;
  Format format;
};

class Properties : public testing::TestWithParam<Subject> {};

TEST_P(Properties, HoldForTheKernelsThatComeWithQkvet) {
  const Subject subject = GetParam();
  const std::unique_ptr<Candidate> candidate = in_process(*builtin_kernel(subject.kernel));
  const Contract contract = candidate->contracts().at(subject.format);
  const Property& property = *property_named(subject.property);
  replay_corpus(property, subject.kernel, *candidate, contract);
  Counts counts;
  const auto result = run(property, subject.kernel, *candidate, contract,
                          small_cases(contract), counts);
  EXPECT_TRUE(result.is<rc::detail::SuccessResult>()) << text_of(result);
  // Power is not optional: most cases must have decided something.
  EXPECT_GE(counts.pass, cases_of(property) / 2) << counts.other << " cases decided nothing";
}

TEST(Shrinking, EndsAtASmallCaseWithItsReproLine) {
  test::PlainCandidate wrong(test::Bug::first_twice);
  const Contract contract = test::plain_contract();
  Counts counts;
  const auto result = run(*property_named("key-value-permutation"), "wrong", wrong, contract,
                          small_cases(contract), counts);
  ASSERT_TRUE(result.is<rc::detail::FailureResult>()) << text_of(result);
  const std::string text = text_of(result);
  EXPECT_NE(text.find("drawn from seed "), std::string::npos);
  const auto from = text.find("qkvet repro '");
  ASSERT_NE(from, std::string::npos);
  const auto begin = from + std::string_view("qkvet repro '").size();
  const Problem small = read_case(text.substr(begin, text.find('\'', begin) - begin), "the line");
  EXPECT_EQ(small.shape.rows(), 1);
  EXPECT_EQ(small.shape.S, 2);
  EXPECT_LE(small.shape.d_k, 1);
  EXPECT_EQ(small.shape.d_v, 1);
}

std::vector<Subject> subjects() {
  std::vector<Subject> all;
  for (const Property& property : all_properties()) {
    for (const std::string_view kernel : {"naive", "flash"}) {
      all.push_back({property.name, kernel, Format::binary32});
    }
    all.push_back({property.name, "naive", Format::binary64});
    // Ranges are narrow in low formats, so that special values are near.
    if (!is_of_special_values(property)) continue;
    all.push_back({property.name, "flash", Format::binary16});
    all.push_back({property.name, "flash", Format::bfloat16});
  }
  return all;
}

std::string name_of_subject(const testing::TestParamInfo<Subject>& info_) {
  std::string name = std::string(info_.param.property) + "_" + std::string(info_.param.kernel) +
                     "_" + std::string(info(info_.param.format).name);
  for (char& c : name) c = c == '-' ? '_' : c;
  return name;
}

INSTANTIATE_TEST_SUITE_P(Builtin, Properties, testing::ValuesIn(subjects()), name_of_subject);

}  // namespace
}  // namespace qkvet
