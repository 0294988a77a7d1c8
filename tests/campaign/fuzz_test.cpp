#include <gtest/gtest.h>

#include <filesystem>
#include <qkvet/campaign/fuzz.hpp>
#include <qkvet/campaign/fuzz_pool.hpp>
#include <qkvet/campaign/fuzz_traits.hpp>
#include <qkvet/campaign/store.hpp>
#include <qkvet/problem/text.hpp>
#include <qkvet/report/writers.hpp>

#include "kernels.hpp"
#include "properties/registry.hpp"
#include "rare_fault.hpp"

namespace qkvet {
namespace {

namespace fs = std::filesystem;

/// Small problems, for speed: the engine is under test, not the oracle.
FuzzOptions small_search(std::int64_t runs, std::uint64_t seed = 1) {
  FuzzOptions options;
  options.runs = runs;
  options.campaign.profile = fuzz_profile();
  options.campaign.seed = seed;
  options.campaign.domain = narrow(Domain{}, "B<=2,H<=4,L<=8,S<=40,d_k<=4,d_v<=4");
  options.campaign.properties = {property_named("matches-reference")};
  return options;
}

FuzzOptions search_all(std::int64_t runs) {
  FuzzOptions options = small_search(runs);
  options.campaign.properties.clear();
  for (const Property& property : all_properties())
    options.campaign.properties.push_back(&property);
  return options;
}

FuzzResult search(const qkvet_candidate& kernel, const FuzzOptions& options) {
  return run_fuzz(*in_process(kernel), options);
}

fs::path fresh_folder(const std::string& name) {
  const fs::path folder = fs::path(testing::TempDir()) / ("qkvet-fuzz-" + name);
  fs::remove_all(folder);
  return folder;
}

Drawn drawn(const FuzzInput& input) {
  Choices choices = Choices::from_parts(input);
  return draw(choices, Domain{});
}

std::int64_t long_calls = 0;

/// plain_kernel, which counts its calls with 1013 keys.
int count_long(void*, const qkvet_args* args, qkvet_error* why) {
  long_calls += args->k->shape[2] == 1013 ? 1 : 0;
  return plain_kernel().forward(plain_kernel().self, args, why);
}

/// A text of the corpus is a parent: its children have its length, which is hardly ever drawn.
TEST(Fuzz, ATextOfTheCorpusIsASeed) {
  qkvet_candidate counting = plain_kernel();
  counting.forward = count_long;
  const auto calls = [&](std::int64_t runs, bool with_text) {
    FuzzOptions options = small_search(runs);
    options.campaign.domain = narrow(Domain{}, "B<=2,H<=4,L<=8,d_k<=4,d_v<=4");
    if (with_text) {
      options.campaign.corpus.cases.push_back(
          {"another engine",
           {read_case("qk1:b1.hq1.hk1.l1.s1013.dk1.dv1/f32/q:0/k:0*1013/v:0*1013", "text"), {}}});
    }
    long_calls = 0;
    (void)search(counting, options);
    return long_calls;
  };
  EXPECT_EQ(calls(100, false), 0);
  const std::int64_t replayed = calls(0, true);
  EXPECT_GT(replayed, 0);
  EXPECT_GT(calls(100, true), replayed);
}

// What the engine is for: the fault needs four features and a size at once (about one drawn case of
// 25,000 has them). Seeds differ, and so does the luck of one seed whenever `draw` changes: hence
// several, and room on both sides.
TEST(Fuzz, FindsARareFaultThatAsManyDrawnCasesMiss) {
  constexpr std::int64_t cases = 3000;
  int searched = 0, drawn = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    FuzzOptions options = small_search(cases, seed);
    options.campaign.stop_first = true;
    options.campaign.minimise.calls = 10;
    const FuzzResult result = search(rarely_wrong_kernel(), options);
    searched += result.report.findings.empty() ? 0 : 1;
    options.campaign.cases = cases;
    const Report report = run_campaign(*in_process(rarely_wrong_kernel()), options.campaign);
    drawn += report.findings.empty() ? 0 : 1;
  }
  std::printf("found in %d of 6 searches, in %d of 6 campaigns\n", searched, drawn);
  EXPECT_GE(searched, 3);
  EXPECT_LT(drawn, searched);  // steered campaigns come upon combinations that blind draws miss
}

TEST(Fuzz, PassesACorrectKernelUnderEveryProperty) {
  const FuzzResult result = search(plain_kernel(), search_all(600));
  EXPECT_TRUE(result.report.findings.empty()) << write_text(result.report);
  EXPECT_EQ(result.ended, "600 runs");
  EXPECT_EQ(result.reached.executions, 600);
  for (const PropertyResult& property : result.report.properties) {
    if (property.name == "matches-reference" || property.name == "convex-hull") {
      EXPECT_GT(property.pass, 0) << property.name;
    }
  }
}

TEST(Fuzz, OneSeedGivesOneResult) {
  const FuzzResult one = search(tail_dropping_kernel(), search_all(150));
  const FuzzResult two = search(tail_dropping_kernel(), search_all(150));
  EXPECT_FALSE(one.report.findings.empty());
  EXPECT_EQ(write_json(one.report), write_json(two.report));
  EXPECT_EQ(one.reached.classes, two.reached.classes);
  FuzzOptions other = search_all(150);
  other.campaign.seed = 2;
  Report others = search(tail_dropping_kernel(), other).report;
  others.seed = one.report.seed;
  EXPECT_NE(write_json(others), write_json(one.report));
}

TEST(Fuzz, AFindingIsMinimisedAndSavedAsThoseOfCheckAre) {
  FuzzOptions options = small_search(400);
  options.campaign.stop_first = true;
  options.campaign.out = fresh_folder("found");
  const FuzzResult result = search(tail_dropping_kernel(), options);
  ASSERT_EQ(result.report.findings.size(), 1U) << write_text(result.report);
  EXPECT_EQ(result.ended, "the first finding");
  const FindingRecord& record = result.report.findings.front();
  const Problem minimal = read_case(record.case_text, "finding");
  EXPECT_EQ(minimal.shape, (Shape{1, 1, 1, 1, 5, 1, 1})) << record.case_text;
  EXPECT_EQ(record.repro,
            "qkvet repro '" + record.case_text + "' tail-dropping --prop matches-reference");
  EXPECT_TRUE(fs::exists(record.saved));
  EXPECT_EQ(exit_code(result.report), ExitCode::fail);
}

TEST(Fuzz, EndsWhenEnoughIsKnown) {
  FuzzOptions options = small_search(100'000);
  options.campaign.minimise.calls = 5;
  const FuzzResult result = search(tail_dropping_kernel(), options);
  EXPECT_EQ(result.ended, "200 failing cases");
}

TEST(Fuzz, EndsWhenTheTimeIsUpOrASignalComes) {
  FuzzOptions options = small_search(100'000);
  int asked = 0;
  options.time_up = [&] { return ++asked > 20; };
  const FuzzResult timed = search(plain_kernel(), options);
  EXPECT_EQ(timed.ended, "the time is up");
  EXPECT_FALSE(timed.report.interrupted);
  asked = 0;
  options.time_up = nullptr;
  options.campaign.stopped = [&] { return ++asked > 20; };
  const FuzzResult stopped = search(plain_kernel(), options);
  EXPECT_TRUE(stopped.report.interrupted);
  EXPECT_GT(stopped.report.properties.front().accepted(), 0);
}

TEST(Fuzz, AKernelThatRefusesEverythingEndsTheSearch) {
  qkvet_candidate kernel = refusing_kernel();
  kernel.contract = nullptr;  // It never said that it takes these.
  const FuzzResult result = search(kernel, small_search(100'000));
  EXPECT_EQ(result.ended, "2000 inputs in a row gave no case that counts");
  EXPECT_EQ(exit_code(result.report), ExitCode::nothing_tested);
}

TEST(Fuzz, KeptInputsAreReplayedFirstAndSearchedFrom) {
  const fs::path folder = fresh_folder("corpus");
  make_corpus_folder(folder);
  FuzzOptions options = search_all(200);
  options.keep = folder;
  const FuzzResult first = search(plain_kernel(), options);
  options.campaign.corpus = read_corpus(folder);
  const auto files = static_cast<std::int64_t>(options.campaign.corpus.cases.size());
  EXPECT_TRUE(options.campaign.corpus.bad.empty());
  EXPECT_GT(files, 20);
  EXPECT_LE(files, first.reached.kept);
  options.runs = 0;
  const FuzzResult second = search(plain_kernel(), options);
  // Each file once: the stream that it names draws the case that it holds.
  EXPECT_EQ(second.reached.executions, files);
  EXPECT_EQ(second.report.corpus_cases, files);
  // Two inputs that draw the same problem by different strata are one file.
  EXPECT_GE(second.reached.classes * 10, first.reached.classes * 9);
  EXPECT_EQ(read_corpus(folder).cases.size(), options.campaign.corpus.cases.size());
}

TEST(Fuzz, ACaseOfTheCorpusThatFailsIsFoundWithoutARun) {
  const FuzzResult found = search(tail_dropping_kernel(), small_search(200));
  ASSERT_FALSE(found.report.findings.empty());
  const Problem minimal = read_case(found.report.findings.front().case_text, "finding");
  FuzzOptions options = small_search(0);
  options.campaign.corpus.cases = {{"tail.case", {minimal, {}}}};
  const FuzzResult result = search(tail_dropping_kernel(), options);
  ASSERT_EQ(result.report.findings.size(), 1U);
  EXPECT_EQ(result.report.findings.front().stratum, "corpus");
}

TEST(Fuzz, AFolderThatCannotTakeInputsIsSaid) {
  const fs::path file = fresh_folder("file");
  write_durably(file, "a file");
  const auto code_of = [](const fs::path& folder) {
    try {
      make_corpus_folder(folder);
    } catch (const InputError& error) {
      return error.code();
    }
    return ExitCode::holds;
  };
  EXPECT_EQ(code_of(file), ExitCode::cannot_create);
  EXPECT_EQ(code_of(file / "below"), ExitCode::cannot_create);
  EXPECT_EQ(code_of("/proc"), ExitCode::cannot_create);
  EXPECT_EQ(code_of(fresh_folder("new") / "below"), ExitCode::holds);
}

TEST(Fuzz, AFolderThatGoesAwayIsOneTrouble) {
  FuzzOptions options = small_search(50);
  options.keep = fresh_folder("gone");  // never made
  const FuzzResult result = search(plain_kernel(), options);
  ASSERT_EQ(result.report.troubles.size(), 1U);
  EXPECT_EQ(exit_code(result.report), ExitCode::io_error);
  EXPECT_EQ(result.reached.executions, 50);
}

TEST(FuzzInput, APartDrawnAnewLeavesTheOthers) {
  Choices random = Choices::from_seed(7);
  const FuzzInput input = fresh_input(random);
  FuzzInput other = input;
  other[static_cast<std::size_t>(DrawPart::sinks)] = {{99}, 5, 0};
  const Problem before = drawn(input).problem, after = drawn(other).problem;
  EXPECT_TRUE(after.sinks.has_value());
  EXPECT_EQ(before.shape, after.shape);
  EXPECT_EQ(before.q, after.q);
  EXPECT_EQ(before.mask, after.mask);
  EXPECT_EQ(before.layouts, after.layouts);
}

TEST(FuzzInput, EditsStayNearTheirParent) {
  Choices random = Choices::from_seed(8);
  const FuzzInput parent = fresh_input(random), other = fresh_input(random);
  int same = 0;
  for (int n = 0; n < 200; ++n) {
    const FuzzInput child = mutated(random, parent, other, 1000);
    ASSERT_EQ(child.size(), draw_parts);
    std::size_t changed = 0;
    for (std::size_t part = 0; part < draw_parts; ++part) {
      changed += child[part] == parent[part] ? 0 : 1;
    }
    EXPECT_LE(changed, draw_parts - 1);
    same += changed <= 4 ? 1 : 0;
  }
  EXPECT_GT(same, 150);
}

TEST(FuzzInput, TextGivesItBack) {
  Choices random = Choices::from_seed(9);
  FuzzInput input = fresh_input(random);
  for (int n = 0; n < 50; ++n) {
    input = mutated(random, input, fresh_input(random), 64);
    EXPECT_EQ(read_fuzz_input(write_fuzz_input(input)), input);
  }
  const std::string text = write_fuzz_input(input);
  for (const std::string& bad : {std::string(), text.substr(0, text.size() / 2), text + ",+0@1",
                                 "x" + text, text + "g", text + ","}) {
    EXPECT_FALSE(read_fuzz_input(bad)) << bad;
  }
}

TEST(FuzzInput, BytesGiveItBack) {
  Choices random = Choices::from_seed(11);
  FuzzInput input = fresh_input(random);
  for (int n = 0; n < 300; ++n) {
    EXPECT_EQ(from_fuzz_bytes(to_fuzz_bytes(input)), input) << n;
    input = mutated(random, input, fresh_input(random), 3000);
  }
}

TEST(FuzzInput, AnyBytesAreAnInput) {
  Choices random = Choices::from_seed(12);
  for (int n = 0; n < 1000; ++n) {
    std::vector<std::uint8_t> bytes(random.below(400));
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.bits());
    const FuzzInput input = from_fuzz_bytes(bytes);
    ASSERT_EQ(input.size(), draw_parts);
    EXPECT_EQ(from_fuzz_bytes(to_fuzz_bytes(input)), input);
    EXPECT_EQ(outside(Domain{}, drawn(input).problem), std::nullopt);
  }
  EXPECT_EQ(from_fuzz_bytes({}), FuzzInput(draw_parts)) << "zeros follow the end";
}

/// For engines that change bytes and know nothing of parts.
TEST(FuzzInput, AByteOfASeedDrawsOnePartAnew) {
  Choices random = Choices::from_seed(13);
  const FuzzInput input = fresh_input(random);
  for (std::size_t part = 0; part < draw_parts; ++part) {
    std::vector<std::uint8_t> bytes = to_fuzz_bytes(input);
    ++bytes[8 * part + random.below(8)];
    FuzzInput other = from_fuzz_bytes(bytes);
    EXPECT_NE(other[part], input[part]);
    other[part] = input[part];
    EXPECT_EQ(other, input);
  }
}

TEST(Choices, EightBytesAtOnceAreThoseOneByOne) {
  FuzzInput input(draw_parts);
  input[0] = {{1, 2, 3}, 77, 5};
  for (std::size_t before = 0; before < 20; ++before) {
    Choices whole = Choices::from_parts(input), single = Choices::from_parts(input);
    for (std::size_t n = 0; n < before; ++n) EXPECT_EQ(whole.below(256), single.below(256));
    for (int words = 0; words < 3; ++words) {
      std::uint64_t word = 0;
      for (int n = 0; n < 8; ++n) word |= single.below(256) << (8 * n);
      EXPECT_EQ(whole.bits(), word) << before;
    }
    EXPECT_EQ(whole.below(256), single.below(256));
  }
}

TEST(FuzzPool, KeepsWhatRaisesErrorOrReachesAClass) {
  Choices random = Choices::from_seed(10);
  FuzzPool pool;
  const FuzzInput input = fresh_input(random);
  const Drawn first = drawn(input);
  const Traits traits = traits_of(first.problem, "matches-reference", first.stratum);
  EXPECT_TRUE(pool.add(input, 1, fuzz_classes(traits, first.stratum, 0.1)));
  EXPECT_FALSE(pool.add(input, 1, fuzz_classes(traits, first.stratum, 0.1)));
  EXPECT_TRUE(pool.add(input, 1, fuzz_classes(traits, first.stratum, 0.3)));
  Problem empty = first.problem;
  empty.mask.key_range = KeyRange{};
  empty.mask.key_range->start.assign(static_cast<std::size_t>(empty.shape.B), 0);
  empty.mask.key_range->end.assign(static_cast<std::size_t>(empty.shape.B), 0);
  const Traits of_empty = traits_of(empty, "matches-reference", first.stratum);
  EXPECT_TRUE(pool.add(input, 1, fuzz_classes(of_empty, first.stratum, 0.3)));
  EXPECT_EQ(pool.size(), 3U);
}

}  // namespace
}  // namespace qkvet
