// The memory of a call: placement, poison, canaries.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <memory>
#include <qkvet/candidate/arena.hpp>

#include "problems.hpp"

namespace qkvet {
namespace {

struct alignas(64) Memory {
  std::array<std::byte, 8192> bytes{};
};

const Piece& at(const Pieces& pieces, Slot slot) { return pieces[static_cast<std::size_t>(slot)]; }

struct Packed {
  explicit Packed(const Problem& problem, Side side = Side::right, OutputFormats outputs = {})
      : pieces(pieces_of(problem, outputs)), memory(std::make_unique<std::array<Memory, slot_count>>()) {
    for (std::size_t n = 0; n < slot_count; ++n) place(pieces[n], (*memory)[n].bytes, side);
  }
  Pieces pieces;
  std::unique_ptr<std::array<Memory, slot_count>> memory;
};

TEST(ArenaPlace, PutsAlignedTensorsAgainstBothEnds) {
  const Problem problem = test_problem(2, 3, 4);
  for (const Side side : {Side::right, Side::left}) {
    const Packed packed(problem, side);
    const Piece& k = at(packed.pieces, Slot::k);  // 3 * 4 floats = 48 bytes
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(k.origin) % 64, 0u);
    const std::byte* begin = (*packed.memory)[1].bytes.data();
    if (side == Side::left) {
      EXPECT_EQ(k.begin, begin);
    } else {
      EXPECT_EQ(k.end, begin + 8192 - 16);  // as near as 64-byte alignment allows
    }
  }
}

TEST(ArenaPlace, HonoursTheShift) {
  Problem problem = test_problem(2, 3, 4);
  problem.layouts.v.shift = 3;
  for (const Side side : {Side::right, Side::left}) {
    const Packed packed(problem, side);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at(packed.pieces, Slot::v).origin) % 64, 12u);
  }
}

TEST(ArenaFill, WritesEveryElementByItsStrides) {
  Problem problem = test_problem(2, 3, 4);
  problem.layouts.q.strides = {{100, 50, 7, 2}};
  const Packed packed(problem);
  fill(packed.pieces, problem, Poison::nan);
  const Piece& q = at(packed.pieces, Slot::q);
  for (std::int64_t i = 0; i < 2; ++i) {
    for (std::int64_t c = 0; c < 4; ++c) {
      float got = 0;
      std::memcpy(&got, q.origin + (i * 7 + c * 2) * 4, 4);
      EXPECT_EQ(std::bit_cast<std::uint32_t>(got), problem.q.bits[problem.q.index(0, 0, i, c)]);
    }
  }
}

TEST(ArenaFill, HandlesNegativeStrides) {
  Problem problem = test_problem(2, 3, 4);
  problem.layouts.k.strides = {{12, 12, -4, 1}};
  const Packed packed(problem);
  fill(packed.pieces, problem, Poison::nan);
  const Piece& k = at(packed.pieces, Slot::k);
  EXPECT_EQ(k.origin - k.begin, 2 * 4 * 4);
  float got = 0;
  std::memcpy(&got, k.origin - 8 * 4, 4);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(got), problem.k.bits[problem.k.index(0, 0, 2, 0)]);
}

TEST(ArenaPoison, IsNanOrFiniteInEveryFormatAndTellsNeighboursApart) {
  for (const Format format :
       {Format::binary64, Format::binary32, Format::binary16, Format::bfloat16}) {
    for (std::size_t i = 0; i < 40; ++i) {
      EXPECT_TRUE(is_nan(format, poison_bits(format, Poison::nan, i)));
      const double finite = decode(format, poison_bits(format, Poison::finite, i));
      EXPECT_TRUE(512 <= finite && finite <= 1024) << finite;
      EXPECT_NE(poison_bits(format, Poison::nan, i), poison_bits(format, Poison::nan, i + 1));
      EXPECT_NE(poison_bits(format, Poison::nan, i), encode(format, std::nan("")));
    }
  }
}

class ArenaLow : public testing::TestWithParam<Format> {};

INSTANTIATE_TEST_SUITE_P(Formats, ArenaLow, testing::Values(Format::binary16, Format::bfloat16),
                         [](const auto& tested) {
                           return std::string(qkvet::info(tested.param).name);
                         });

TEST_P(ArenaLow, PlacesElementsOfTwoBytesAtOddBases) {
  Problem problem = test_problem(2, 3, 5, 1, GetParam());
  problem.layouts.v.shift = 1;
  problem.layouts.o.shift = 3;
  for (const Side side : {Side::right, Side::left}) {
    const Packed packed(problem, side, {GetParam(), Format::binary32});
    const Piece& v = at(packed.pieces, Slot::v);
    EXPECT_EQ(v.bytes, 2);
    EXPECT_EQ(v.end - v.begin, 3 * 5 * 2);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(v.origin) % 64, 2u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(at(packed.pieces, Slot::o).origin) % 64, 6u);
    fill(packed.pieces, problem, Poison::finite);
    for (std::size_t i = 0; i < problem.v.bits.size(); ++i) {
      std::uint16_t got = 0;
      std::memcpy(&got, v.origin + 2 * i, 2);
      EXPECT_EQ(got, problem.v.bits[i]) << i;
    }
  }
}

TEST_P(ArenaLow, OutputsHaveTheFormatsOfTheContract) {
  Problem problem = test_problem(2, 3, 5, 1, GetParam());
  problem.want_lse = true;
  const Packed packed(problem, Side::right, {Format::binary32, GetParam()});
  fill(packed.pieces, problem, Poison::finite);
  EXPECT_EQ(at(packed.pieces, Slot::q).bytes, 2);
  EXPECT_EQ(at(packed.pieces, Slot::o).bytes, 4);
  EXPECT_EQ(at(packed.pieces, Slot::lse).bytes, 2);
  const Outputs outputs = collect(packed.pieces, Poison::finite);
  EXPECT_EQ(outputs.o.format, Format::binary32);
  EXPECT_EQ(outputs.lse_format, GetParam());
  EXPECT_EQ(outputs.o.bits[3], poison_bits(Format::binary32, Poison::finite, 3));
  EXPECT_EQ(outputs.lse[1], poison_bits(GetParam(), Poison::finite, 1));
}

TEST_P(ArenaLow, CanariesAreNanThenHuge) {
  const Problem problem = test_problem(2, 3, 5, 1, GetParam());
  for (const Poison poison : {Poison::nan, Poison::finite}) {
    const Packed packed(problem, Side::left, {GetParam(), Format::binary32});
    fill(packed.pieces, problem, poison);
    std::uint16_t beyond = 0;
    std::memcpy(&beyond, at(packed.pieces, Slot::k).end, 2);
    if (poison == Poison::nan) {
      EXPECT_TRUE(is_nan(GetParam(), beyond));
    } else {
      const double seen = decode(GetParam(), beyond);
      EXPECT_TRUE(seen > info(GetParam()).max / 2 && seen <= info(GetParam()).max) << seen;
    }
  }
}

TEST_P(ArenaLow, SeesTwoBytesPastATensor) {
  const Problem problem = test_problem(2, 3, 5, 1, GetParam());
  for (const Poison poison : {Poison::nan, Poison::finite}) {
    const Packed packed(problem, Side::right, {GetParam(), Format::binary32});
    fill(packed.pieces, problem, poison);
    std::memset(at(packed.pieces, Slot::o).end, 0x3c, 2);
    (void)collect(packed.pieces, poison);
    std::vector<Fault> faults;
    check_memory(packed.pieces, problem, poison, false, faults);
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].detail, "wrote 0 bytes past the end of o (2 bytes changed)");
  }
}

TEST_P(ArenaLow, TellsUnwrittenPlacesFromHonestOnes) {
  // More places than there are poisons: each that is left keeps its own one.
  constexpr std::size_t places = 700;
  Outputs first, second;
  for (Outputs* outputs : {&first, &second}) {
    outputs->o = make_tensor(GetParam(), {1, 1, 1, places});
  }
  for (std::size_t i = 0; i < places; ++i) {
    const bool written = i % 3 != 0;
    // An honest result may be the finite poison of its place.
    const std::uint64_t honest = poison_bits(GetParam(), Poison::finite, i);
    first.o.bits[i] = written ? honest : poison_bits(GetParam(), Poison::nan, i);
    second.o.bits[i] = honest;
  }
  Observation seen;
  join(first, second, seen);
  ASSERT_EQ(seen.faults.size(), 1u);
  EXPECT_EQ(seen.faults[0].kind, Fault::Kind::unwritten);
  EXPECT_EQ(seen.faults[0].detail, "o[0,0,0,0] and 233 more");
}

// Runs `damage` on memory as filled and says which faults are seen.
template <class Fn>
std::vector<Fault> faults_after(const Problem& problem, Fn&& damage) {
  const Packed packed(problem);
  fill(packed.pieces, problem, Poison::nan);
  damage(packed.pieces);
  (void)collect(packed.pieces, Poison::nan);
  std::vector<Fault> faults;
  check_memory(packed.pieces, problem, Poison::nan, false, faults);
  return faults;
}

TEST(ArenaCheck, FindsNothingInUntouchedMemory) {
  Problem problem = test_problem(2, 3, 4);
  EXPECT_TRUE(faults_after(problem, [](const Pieces&) {}).empty());
  problem.layouts.o.strides = {{100, 50, 9, 2}};
  problem.layouts.q.strides = {{0, 0, 5, 1}};
  EXPECT_TRUE(faults_after(problem, [](const Pieces&) {}).empty());
}

TEST(ArenaCheck, SeesAByteBeforeAndPastATensor) {
  const Problem problem = test_problem(2, 3, 4);
  auto before =
      faults_after(problem, [](const Pieces& p) { at(p, Slot::o).begin[-4] = std::byte{1}; });
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(before[0].kind, Fault::Kind::out_of_bounds);
  EXPECT_EQ(before[0].detail, "wrote 4 bytes before o (1 bytes changed)");
  auto past = faults_after(problem, [](const Pieces& p) { *at(p, Slot::k).end = std::byte{1}; });
  ASSERT_EQ(past.size(), 1u);
  EXPECT_EQ(past[0].detail, "wrote 0 bytes past the end of k (1 bytes changed)");
}

TEST(ArenaCheck, SeesAWriteIntoAStrideGap) {
  Problem problem = test_problem(2, 3, 4);
  problem.layouts.o.strides = {{12, 12, 6, 1}};
  auto faults =
      faults_after(problem, [](const Pieces& p) { at(p, Slot::o).begin[17] = std::byte{1}; });
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].detail,
            "wrote in a stride gap, 17 bytes after the start of o (1 bytes changed)");
}

TEST(ArenaCheck, SeesAChangedInput) {
  const Problem problem = test_problem(2, 3, 4);
  auto faults =
      faults_after(problem, [](const Pieces& p) { at(p, Slot::v).begin[21] ^= std::byte{1}; });
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].kind, Fault::Kind::input_changed);
  EXPECT_EQ(faults[0].detail, "v[0,0,1,1]");
}

}  // namespace
}  // namespace qkvet
