// How an engine's bytes become a problem: every input decodes, malformed text is turned away, and
// the committed seeds are bytes of choices that stand for their text.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/text.hpp>
#include <string>

#include "fuzz/engine.hpp"

namespace qkvet::fuzz {
namespace {

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

int run(const std::string& input) {
  return LLVMFuzzerTestOneInput(bytes_of(input).data(), input.size());
}

TEST(FuzzInput, AnyBytesDecode) {
  EXPECT_EQ(run(""), 0);
  EXPECT_EQ(run(std::string(5000, '\xff')), 0);
  EXPECT_EQ(run("qk2:b1"), 0) << "no case text of ours: bytes of choices";
}

TEST(FuzzInput, MalformedCaseTextIsNotForTheCorpus) {
  EXPECT_EQ(run("qk1:"), -1);
  EXPECT_EQ(run("qk1:b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:1/k:0,1/v:10"), -1) << "v misses a value";
  EXPECT_EQ(run("qk1:b1.hq1.hk1.l1.s2.dk1.dv1/f32/q:1/k:0,1/v:10,20"), 0);
}

TEST(FuzzInput, ADrawnInputStandsForAProblemOfTheSize) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto input = drawn_input(seed);
    const Problem problem = read_case(describe(input), "drawn");
    EXPECT_LE(problem.shape.S, 8);
    EXPECT_LE(problem.shape.L, 8);
    EXPECT_LE(problem.shape.d_k, 16);
  }
}

/// If `draw` or the kernel's formats change, seeds fall back to their text and still run; but then
/// they teach the mutator nothing.
TEST(FuzzInput, SeedsOfTheDifferentialTargetAreBytesOfChoices) {
  int seeds = 0;
  for (const auto& file : std::filesystem::directory_iterator(QKVET_CORPUS "/fuzz/differential")) {
    std::ifstream stream(file.path());
    const std::string text((std::istreambuf_iterator<char>(stream)),
                           std::istreambuf_iterator<char>());
    const auto bytes = derived_input(text);
    EXPECT_EQ(describe(bytes), write_case(read_case(text, file.path().string())));
    EXPECT_NE(std::string(bytes.begin(), bytes.end()), text)
        << file.path() << ": `draw` gives another case by now; draw the seeds of all targets anew: "
        << "scripts/fuzz_seeds.py";
    ++seeds;
  }
  EXPECT_GE(seeds, 8);
}

TEST(FuzzSettings, BadFlagsAreNamed) {
  Settings settings;
  EXPECT_TRUE(take_flag("--size=tiles", settings));
  EXPECT_EQ(settings.size, Size::tiles);
  EXPECT_FALSE(take_flag("--sizes=tiles", settings));
  EXPECT_THROW((void)take_flag("--size=huge", settings), InputError);
  EXPECT_THROW((void)take_flag("--where=nonsense=1", settings), InputError);
}

}  // namespace
}  // namespace qkvet::fuzz
