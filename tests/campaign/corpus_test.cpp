// Case files: version, checksum and truncation; fuzz inputs and back; what a case exercises.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <qkvet/campaign/corpus.hpp>
#include <qkvet/campaign/store.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/text.hpp>

namespace qkvet {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view tiny = "qk1:b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:1/k:0,1/v:10,20";

Counterexample example() { return {read_case(tiny, "test"), {{"reason", "a test"}}}; }

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::bad_data);
    return error.what();
  }
  return "";
}

std::string refusal(const std::string& text) {
  return message_of([&] { (void)read_counterexample(text, "a.case"); });
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(CaseFile, CarriesVersionAndChecksumButDoesNotReportThem) {
  const std::string text = write_counterexample(example());
  EXPECT_NE(text.find("\n# case-file: 1\n# checksum: "), std::string::npos) << text;
  const Counterexample again = read_counterexample(text, "a.case");
  EXPECT_EQ(again.about, example().about);
}

TEST(CaseFile, AnotherVersionIsNamedBeforeAnythingElseIsRead) {
  const std::string text = write_counterexample(example());
  EXPECT_NE(refusal(replaced(text, "case-file: 1", "case-file: 2"))
                .find("a.case:2: case file of version '2'"),
            std::string::npos);
  const std::string newer = refusal(replaced(text, "qk1:", "qk2:"));
  EXPECT_NE(newer.find("version qk2; this qkvet reads qk1"), std::string::npos) << newer;
}

TEST(CaseFile, AChangedByteIsSeen) {
  const std::string text = write_counterexample(example());
  for (const auto& [from, to] : {std::pair{"10,20", "10,21"}, {"a test", "a jest"}}) {
    const std::string said = refusal(replaced(text, from, to));
    EXPECT_NE(said.find("a.case:3: checksum"), std::string::npos) << said;
  }
}

TEST(CaseFile, KeepsItsChecksumUnderOtherLineEnds) {
  std::string text;
  for (const char c : write_counterexample(example()))
    text += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_EQ(refusal(text), "");
}

TEST(CaseFile, WrittenByHandNeedsNeither) {
  EXPECT_EQ(refusal(std::string(tiny) + "\n# reason: none\n"), "");
  const std::string half = std::string(tiny) + "\n# case-file: 1\n";
  EXPECT_NE(refusal(half).find("the checksum is missing"), std::string::npos);
}

/// Cut anywhere, a file is set aside or still holds the whole case.
TEST(CaseFile, NoTruncationChangesTheCase) {
  const fs::path folder = fs::path(testing::TempDir()) / "qkvet-truncated";
  const std::string whole = write_counterexample(example());
  std::size_t read = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    fs::remove_all(folder);
    fs::create_directories(folder);
    write_durably(folder / "a.case", whole.substr(0, size));
    const Corpus corpus = read_corpus(folder);
    ASSERT_EQ(corpus.cases.size() + corpus.bad.size(), 1U);
    for (const CorpusCase& item : corpus.cases) EXPECT_EQ(item.example.problem, example().problem);
    read += corpus.cases.size();
  }
  EXPECT_EQ(read, 1U);  // Cut right after the case: as if written by hand.
}

TEST(Corpora, TakeAProblemOncePerProperty) {
  const fs::path folder = fs::path(testing::TempDir()) / "qkvet-corpora";
  fs::remove_all(folder);
  for (const char* name : {"one", "two"}) fs::create_directories(folder / name);
  Counterexample other = example();
  other.about["property"] = "convex-hull";
  write_durably(folder / "one" / "a.case", write_counterexample(example()));
  write_durably(folder / "two" / "b.case", write_counterexample(example()));
  write_durably(folder / "two" / "c.case", write_counterexample(other));
  const Corpus both = read_corpora({folder / "one", folder / "two"});
  ASSERT_EQ(both.cases.size(), 2U);
  EXPECT_EQ(both.cases[1].source, "c.case");
}

TEST(FuzzInput, GivesTheCaseBackBitForBit) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Choices choices = Choices::from_seed(mix(seed));
    const Problem problem = draw(choices, Domain{}).problem;
    EXPECT_EQ(from_bytes(to_bytes(problem), Domain{}, "bytes"), problem) << seed;
  }
}

TEST(FuzzInput, OtherBytesAreChoicesInsideTheDomain) {
  const Domain small = narrow(Domain{}, "L<=4,S<=4,d_k<=2,d_v<=2");
  std::string bytes;
  for (int n = 0; n < 200; ++n) {
    bytes += static_cast<char>(mix(static_cast<std::uint64_t>(n)));
    const Problem problem = from_bytes(bytes, small, "bytes");
    EXPECT_EQ(outside(small, problem), std::nullopt);
    EXPECT_EQ(from_bytes(to_bytes(problem), small, "text"), problem);
  }
}

TEST(FuzzInput, MalformedCaseTextIsRefused) {
  EXPECT_NE(message_of([] { (void)from_bytes("qk1:nonsense", Domain{}, "crash"); }).find("crash"),
            std::string::npos);
}

TEST(Classes, AFeatureAndItsPairsAreNew) {
  const Problem plain = example().problem;
  Problem capped = plain;
  capped.softcap = 1;
  capped.want_lse = true;
  const auto before = classes_of(plain), after = classes_of(capped);
  const auto has = [&](const char* word) {
    return std::find(after.begin(), after.end(), word) != after.end();
  };
  EXPECT_TRUE(has("softcap"));
  EXPECT_TRUE(has("softcap with lse"));
  EXPECT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()));
  EXPECT_EQ(classes_of(plain), before);
}

TEST(Classes, ExtentsTellTheBordersOfTiles) {
  Problem problem = read_case("qk1:b1.hq1.hk1.l1.s65.dk1.dv1/f32/q:0/k:0*65/v:0*64,1", "test");
  const auto classes = classes_of(problem);
  EXPECT_TRUE(std::count(classes.begin(), classes.end(), "S mod 64 = 1"));
  EXPECT_FALSE(std::count(classes.begin(), classes.end(), "S mod 64 = 0"));
}

}  // namespace
}  // namespace qkvet
