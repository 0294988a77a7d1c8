#include <gtest/gtest.h>

#include <filesystem>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/campaign/store.hpp>
#include <qkvet/problem/text.hpp>
#include <qkvet/report/writers.hpp>

#include "kernels.hpp"
#include "properties/registry.hpp"

namespace qkvet {
namespace {

namespace fs = std::filesystem;

/// A small campaign of matches-reference that keeps its findings in `out` (empty: nowhere).
CampaignOptions small_campaign(const fs::path& out = {}) {
  CampaignOptions options;
  options.profile = *profile_named("smoke");
  options.cases = 60;
  options.seed = 5;
  options.properties = {property_named("matches-reference")};
  options.out = out;
  return options;
}

Report vet(const qkvet_candidate& kernel, const CampaignOptions& options) {
  return run_campaign(*in_process(kernel), options);
}

fs::path fresh_folder(const std::string& name) {
  const fs::path folder = fs::path(testing::TempDir()) / ("qkvet-campaign-" + name);
  fs::remove_all(folder);
  return folder;
}

TEST(Campaign, PassesACorrectKernel) {
  const Report report = vet(plain_kernel(), small_campaign());
  EXPECT_EQ(exit_code(report), ExitCode::holds) << write_text(report);
  EXPECT_EQ(report.properties.at(0).accepted(), 60);
}

TEST(Campaign, SameSeedGivesTheSameReport) {
  const CampaignOptions options = small_campaign();
  EXPECT_EQ(write_json(vet(tail_dropping_kernel(), options)),
            write_json(vet(tail_dropping_kernel(), options)));
}

TEST(Campaign, AnotherSeedDrawsOtherCases) {
  CampaignOptions options = small_campaign();
  const std::string first = write_json(vet(plain_kernel(), options));
  options.seed = 6;
  Report second = vet(plain_kernel(), options);
  second.seed = 5;
  EXPECT_NE(first, write_json(second));
}

TEST(Campaign, ADroppedTailKeyShrinksToOneRowAndFiveKeys) {
  const Report report = vet(tail_dropping_kernel(), small_campaign());
  ASSERT_FALSE(report.findings.empty()) << write_text(report);
  const Problem minimal = read_case(report.findings.at(0).case_text, "finding");
  // S mod 4 = 1 is what the fault needs; a single key is never dropped.
  EXPECT_EQ(minimal.shape, (Shape{1, 1, 1, 1, 5, 1, 1})) << report.findings.at(0).case_text;
  EXPECT_FALSE(minimal.mask.causal);
}

TEST(Campaign, TheReproLineCarriesTheExactBits) {
  const Report report = vet(tail_dropping_kernel(), small_campaign());
  ASSERT_FALSE(report.findings.empty());
  const FindingRecord& record = report.findings.at(0);
  EXPECT_EQ(record.repro,
            "qkvet repro '" + record.case_text + "' tail-dropping --prop matches-reference");
  EXPECT_EQ(write_case(read_case(record.case_text, "finding")), record.case_text);
}

TEST(Campaign, FindingsAreSavedRawAndMinimal) {
  const fs::path out = fresh_folder("saved");
  const Report report = vet(tail_dropping_kernel(), small_campaign(out));
  ASSERT_FALSE(report.findings.empty());
  const Counterexample saved =
      read_counterexample(read_file(report.findings.at(0).saved), report.findings.at(0).saved);
  EXPECT_EQ(write_case(saved.problem), report.findings.at(0).case_text);
  EXPECT_EQ(saved.about.at("property"), "matches-reference");
  EXPECT_EQ(saved.about.at("minimal"), "yes");
  int raw = 0;
  for (const auto& entry : fs::directory_iterator(out)) {
    raw += entry.path().string().ends_with(".raw.case") ? 1 : 0;
    EXPECT_FALSE(entry.path().string().ends_with(".tmp")) << entry.path();
  }
  EXPECT_GE(raw, 1);
}

TEST(Campaign, AFindingSurvivesAFolderThatCannotBeMade) {
  const fs::path blocker = fresh_folder("blocker");
  write_durably(blocker, "a file where the folder should be");
  const Report report = vet(tail_dropping_kernel(), small_campaign(blocker / "out"));
  EXPECT_FALSE(report.findings.empty());
  EXPECT_NE(write_text(report).find("qkvet repro 'qk1:"), std::string::npos);
  EXPECT_EQ(exit_code(report), ExitCode::cannot_create);
}

TEST(Campaign, StopFirstEndsAtTheFirstFinding) {
  CampaignOptions options = small_campaign();
  options.stop_first = true;
  const Report report = vet(tail_dropping_kernel(), options);
  EXPECT_EQ(report.properties.at(0).fail, 1);
}

TEST(Campaign, AKernelThatRefusesEverythingIsNotTested) {
  const Report report = vet(refusing_kernel(), small_campaign());
  EXPECT_EQ(report.properties.at(0).accepted(), report.properties.at(0).fail);
  EXPECT_NE(exit_code(report), ExitCode::holds);
}

TEST(Campaign, ReplaysTheCorpusBeforeItDraws) {
  CampaignOptions options = small_campaign();
  const Report found = vet(tail_dropping_kernel(), options);
  ASSERT_FALSE(found.findings.empty());
  const Problem minimal = read_case(found.findings.at(0).case_text, "finding");
  options.cases = 1;
  options.corpus.cases = {{"regressions/tail.case", {minimal, {}}}};
  const Report report = vet(tail_dropping_kernel(), options);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_EQ(report.corpus_cases, 1);
  EXPECT_EQ(report.findings.at(0).stratum, "corpus");
  EXPECT_EQ(report.findings.at(0).after, 1);
}

TEST(Campaign, AStopRequestKeepsWhatWasFound) {
  CampaignOptions options = small_campaign();
  int asked = 0;
  options.stopped = [&] { return ++asked > 20; };
  const Report report = vet(plain_kernel(), options);
  EXPECT_TRUE(report.interrupted);
  EXPECT_GT(report.properties.at(0).accepted(), 0);
  EXPECT_LT(report.properties.at(0).accepted(), 60);
}

/// A kernel behind a process of its own, as the campaign sees it: `renew` forgets all calls. From
/// call `spoilt_from` on every output is off by one.
class Forgetful final : public Candidate {
 public:
  Forgetful(const qkvet_candidate& kernel, int spoilt_from)
      : inner_(in_process(kernel)), spoilt_from_(spoilt_from) {}
  [[nodiscard]] const std::string& name() const override { return inner_->name(); }
  [[nodiscard]] const ContractSet& contracts() const override { return inner_->contracts(); }
  [[nodiscard]] const char* isolation() const override { return "L1"; }
  [[nodiscard]] bool renew() override {
    calls_ = 0;
    return true;
  }
  using Candidate::run;
  [[nodiscard]] Observation run(const Problem& problem, const OutputFormats& outputs) override {
    Observation seen = inner_->run(problem, outputs);
    if (++calls_ < spoilt_from_) return seen;
    Tensor& o = seen.outputs.o;
    for (std::uint64_t& bits : o.bits) bits = encode(o.format, decode(o.format, bits) + 1);
    return seen;
  }

 private:
  std::unique_ptr<Candidate> inner_;
  int spoilt_from_, calls_ = 0;
};

TEST(Campaign, AFaultThatNeedsEarlierCallsIsKeptAndSaysSo) {
  CampaignOptions options = small_campaign();
  options.command = "qkvet check ./forgetful.so --cases 60";
  Forgetful kernel(plain_kernel(), 30);
  const Report report = run_campaign(kernel, options);
  ASSERT_FALSE(report.findings.empty());
  const FindingRecord& record = report.findings.at(0);
  EXPECT_TRUE(record.state_dependent);
  EXPECT_EQ(record.steps, 0) << "shrunk by what earlier calls left behind";
  EXPECT_EQ(record.repro, options.command + " --seed 5 --prop matches-reference");
  EXPECT_NE(write_text(report).find("state-dependent: fails only after earlier calls"),
            std::string::npos);
  EXPECT_EQ(exit_code(report), ExitCode::fail);
}

TEST(Campaign, AReproLineHoldsInAFreshProcess) {
  // Found by the dropped key, soon spoilt by earlier calls as well: the minimal case must be one of
  // the first fault.
  Forgetful kernel(tail_dropping_kernel(), 40);
  const Report report = run_campaign(kernel, small_campaign());
  int from_the_first = 0;
  for (const FindingRecord& record : report.findings) {
    if (record.state_dependent) continue;
    ++from_the_first;
    Forgetful fresh(tail_dropping_kernel(), 40);
    const Problem minimal = read_case(record.case_text, "finding");
    EXPECT_TRUE(std::holds_alternative<Fail>(
        examine(minimal, *property_named("matches-reference"), fresh,
                fresh.contracts().at(minimal.format), ExamineOptions{})))
        << record.case_text;
    EXPECT_EQ(minimal.shape.S % 4, 1) << record.case_text;
  }
  EXPECT_GT(from_the_first, 0);
}

TEST(Campaign, NothingIsSaidOfStateWhereThereIsNoFreshProcess) {
  const Report report = vet(tail_dropping_kernel(), small_campaign());
  ASSERT_FALSE(report.findings.empty());
  EXPECT_FALSE(report.findings.at(0).state_dependent);
}

TEST(Minimise, StaysInsideTheDomain) {
  CampaignOptions options = small_campaign();
  options.domain = narrow(options.domain, "d_k=4,d_v=3,causal=no");
  const Report report = vet(tail_dropping_kernel(), options);
  ASSERT_FALSE(report.findings.empty());
  const Problem minimal = read_case(report.findings.at(0).case_text, "finding");
  EXPECT_EQ(minimal.shape, (Shape{1, 1, 1, 1, 5, 4, 3}));
}

TEST(Minimise, EndsWithItsBudgetOfCalls) {
  CampaignOptions options = small_campaign();
  options.minimise.calls = 3;
  const Report report = vet(tail_dropping_kernel(), options);
  ASSERT_FALSE(report.findings.empty());
  EXPECT_LE(report.findings.at(0).steps, 3);
}

}  // namespace
}  // namespace qkvet
