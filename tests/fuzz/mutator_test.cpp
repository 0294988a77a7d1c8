// What an engine gets from fuzz/mutator.cpp: children of one input and of two. This program has no
// engine of its own, as an engine without LLVMFuzzerMutate.
#include <gtest/gtest.h>

#include <cstring>
#include <qkvet/campaign/fuzz_input.hpp>
#include <set>
#include <string>

#include "fuzz/engine.hpp"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned int seed);
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size,
                                                 const std::uint8_t* two, std::size_t two_size,
                                                 std::uint8_t* out, std::size_t most,
                                                 unsigned int seed);

namespace qkvet::fuzz {
namespace {

using Input = std::vector<std::uint8_t>;

constexpr std::size_t room = 4096;

Input child_of(const Input& parent, unsigned int seed, std::size_t most = room) {
  Input child(most);
  std::memcpy(child.data(), parent.data(), std::min(parent.size(), most));
  child.resize(LLVMFuzzerCustomMutator(child.data(), std::min(parent.size(), most), most, seed));
  return child;
}

Input child_of(const Input& one, const Input& two, unsigned int seed) {
  Input child(room);
  child.resize(LLVMFuzzerCustomCrossOver(one.data(), one.size(), two.data(), two.size(),
                                         child.data(), room, seed));
  return child;
}

TEST(Mutator, ChildrenDifferAndTheSeedDecides) {
  const Input parent = drawn_input(1);
  std::set<std::string> cases;
  for (unsigned int seed = 0; seed < 100; ++seed) {
    const Input child = child_of(parent, seed);
    EXPECT_EQ(child, child_of(parent, seed));
    cases.insert(describe(child));
  }
  EXPECT_GT(cases.size(), 50U);
}

TEST(Mutator, AChildOfTwoHasPartsOfEach) {
  const FuzzInput one = from_fuzz_bytes(drawn_input(1)), two = from_fuzz_bytes(drawn_input(2));
  int of_one = 0, of_two = 0;
  for (unsigned int seed = 0; seed < 100; ++seed) {
    const FuzzInput child = from_fuzz_bytes(child_of(drawn_input(1), drawn_input(2), seed));
    for (std::size_t part = 0; part < draw_parts; ++part) {
      of_one += child[part] == one[part] ? 1 : 0;
      of_two += child[part] == two[part] ? 1 : 0;
    }
  }
  EXPECT_GT(of_one, 900);
  EXPECT_GT(of_two, 50);
}

TEST(Mutator, StaysInItsRoom) {
  Input input = drawn_input(3);
  for (unsigned int seed = 0; seed < 300; ++seed) {
    input = child_of(input, seed, 300);
    ASSERT_LE(input.size(), 300U);
    ASSERT_FALSE(describe(input).empty());
  }
  EXPECT_EQ(child_of(input, 1, 5).size(), 5U);
}

/// A finding of any engine is a seed: its children are cases of the same shape with other parts.
TEST(Mutator, GivesATextPartsOfDrawnProblems) {
  const std::string text = "qk1:b1.hq2.hk1.l2.s3.dk1.dv1/f32/causal:tl/q:1*4/k:0,1,2/v:10,20,30";
  const Input parent(text.begin(), text.end());
  std::set<std::string> children;
  int keep_values = 0, keep_mask = 0;
  for (unsigned int seed = 0; seed < 200; ++seed) {
    const Input child = child_of(parent, seed);
    EXPECT_EQ(child, child_of(parent, seed));
    const std::string said(child.begin(), child.end());
    EXPECT_TRUE(said.starts_with("qk1:b1.hq2.hk1.l2.s3.dk1.dv1/f32/")) << said;
    EXPECT_EQ(describe(child), said);
    keep_values += said.ends_with("/v:10,20,30") ? 1 : 0;
    keep_mask += said.find("/causal:tl") != said.npos ? 1 : 0;
    children.insert(said);
  }
  EXPECT_GT(children.size(), 100U);
  EXPECT_GT(keep_values, 50);
  EXPECT_GT(keep_mask, 20);
  EXPECT_LT(keep_mask, 200);
  EXPECT_EQ(child_of(parent, 1, text.size()).size() <= text.size(), true);
}

TEST(Mutator, LeavesBrokenTextAsItIs) {
  const std::string text = "qk1:b1.hq1";
  const Input parent(text.begin(), text.end());
  EXPECT_EQ(child_of(parent, 1), parent);
  EXPECT_TRUE(child_of(parent, drawn_input(1), 1).empty());
  EXPECT_TRUE(child_of(drawn_input(1), parent, 1).empty());
}

}  // namespace
}  // namespace qkvet::fuzz
