#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <qkvet/campaign/corpus.hpp>
#include <qkvet/campaign/counterexample.hpp>
#include <qkvet/campaign/store.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/text.hpp>

namespace qkvet {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view tiny = "qk1:b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:1/k:0,1/v:10,20";

fs::path fresh_folder(const std::string& name) {
  const fs::path folder = fs::path(testing::TempDir()) / ("qkvet-store-" + name);
  fs::remove_all(folder);
  fs::create_directories(folder);
  return folder;
}

ExitCode code_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.code();
  }
  return ExitCode::holds;
}

TEST(WriteDurably, ReplacesTheFileAndLeavesNoTemporary) {
  const fs::path folder = fresh_folder("replace");
  write_durably(folder / "a", "one");
  write_durably(folder / "a", "two");
  EXPECT_EQ(read_file(folder / "a"), "two");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
}

TEST(WriteDurably, NamesAFullDisk) {
  EXPECT_EQ(code_of([] { write_durably("/dev/full", "text"); }), ExitCode::io_error);
}

TEST(WriteDurably, NamesAFolderThatIsNotThere) {
  const fs::path folder = fresh_folder("absent");
  EXPECT_EQ(code_of([&] { write_durably(folder / "no" / "a", "text"); }), ExitCode::cannot_create);
  EXPECT_EQ(code_of([&] { write_durably(folder, "text"); }), ExitCode::cannot_create);
}

TEST(ReadFile, RefusesWhatIsNoRegularFile) {
  EXPECT_EQ(code_of([] { (void)read_file("/dev/null"); }), ExitCode::missing_input);
  EXPECT_EQ(code_of([] { (void)read_file("/nonexistent"); }), ExitCode::missing_input);
  EXPECT_EQ(code_of([] { (void)read_file(testing::TempDir()); }), ExitCode::missing_input);
}

TEST(ReadFile, RefusesMoreThanTheLimit) {
  const fs::path folder = fresh_folder("limit");
  write_durably(folder / "a", "12345");
  EXPECT_EQ(code_of([&] { (void)read_file(folder / "a", 4); }), ExitCode::bad_data);
  EXPECT_EQ(read_file(folder / "a", 5), "12345");
}

TEST(Counterexample, ReadsBackWhatItWrites) {
  const Counterexample example{read_case(tiny, "test"),
                               {{"property", "convex-hull"}, {"finding", "two\nlines"}}};
  const Counterexample again = read_counterexample(write_counterexample(example), "test");
  EXPECT_EQ(again.problem, example.problem);
  EXPECT_EQ(again.about.at("property"), "convex-hull");
  EXPECT_EQ(again.about.at("finding"), "two lines");
}

TEST(Counterexample, RefusesAKeyGivenTwice) {
  const std::string text = std::string(tiny) + "\n# seed: 1\n# seed: 2\n";
  try {
    (void)read_counterexample(text, "file.case");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("file.case:3"), std::string::npos) << error.what();
  }
}

TEST(Corpus, ReadsRegressionsFirstAndSetsBadFilesAside) {
  const fs::path folder = fresh_folder("corpus");
  for (const char* name : {"regressions", "a-seeds", "z", "fuzz"}) fs::create_directories(folder / name);
  write_durably(folder / "a-seeds" / "one.case", std::string(tiny) + "\n");
  write_durably(folder / "regressions" / "two.case", std::string(tiny) + "\n");
  write_durably(folder / "z" / "bad.case", "qk1:nonsense\n");
  write_durably(folder / "fuzz" / "worse.case", "qk1:nonsense\n");
  write_durably(folder / "z" / "notes.txt", "not a case");
  const Corpus corpus = read_corpus(folder);
  ASSERT_EQ(corpus.cases.size(), 2U);
  EXPECT_EQ(corpus.cases[0].source, "regressions/two.case");
  ASSERT_EQ(corpus.bad.size(), 1U);
  EXPECT_EQ(corpus.bad[0].code, ExitCode::bad_data);
  EXPECT_NE(corpus.bad[0].message.find("bad.case"), std::string::npos);
}

}  // namespace
}  // namespace qkvet
