// The invariants of a Problem, its masks as read by the reference, its digest and its exact
// rewrites.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/domain.hpp>
#include <qkvet/problem/problem.hpp>

namespace qkvet {
namespace {

Problem sample(Shape s = {2, 2, 1, 3, 4, 2, 3}) {
  Problem p;
  p.shape = s;
  p.q = make_tensor(Format::binary32, {s.B, s.H_q, s.L, s.d_k});
  p.k = make_tensor(Format::binary32, {s.B, s.H_kv, s.S, s.d_k});
  p.v = make_tensor(Format::binary32, {s.B, s.H_kv, s.S, s.d_v});
  for (std::size_t n = 0; n < p.v.bits.size(); ++n) {
    p.v.bits[n] = encode(Format::binary32, static_cast<double>(n));
  }
  if (s.d_k == 0) p.scale = 1.0;
  return p;
}

TEST(Validate, AcceptsPlainAndEmptyProblems) {
  EXPECT_NO_THROW(validate(sample()));
  EXPECT_NO_THROW(validate(sample({0, 0, 0, 0, 0, 0, 0})));
  EXPECT_NO_THROW(validate(sample({1, 2, 2, 0, 3, 1, 0})));
}

TEST(Validate, NamesTheBrokenField) {
  const struct {
    const char* named;
    void (*spoil)(Problem&);
  } rows[] = {
      {"H_q", [](Problem& p) { p.shape.H_kv = 0; }},
      {"size of q", [](Problem& p) { p.shape.B = p.shape.L = std::int64_t{1} << 20; }},
      {"size of k", [](Problem& p) { p.shape = {1 << 20, 0, 1 << 20, 0, 1 << 20, 0, 0}; }},
      {"B is -1", [](Problem& p) { p.shape.B = -1; }},
      {"format of k", [](Problem& p) { p.k.format = Format::binary64; }},
      {"extents of v", [](Problem& p) { p.v.extents[2] = 5; }},
      {"number of values of q", [](Problem& p) { p.q.bits.pop_back(); }},
      {"a value of q", [](Problem& p) { p.q.bits[0] = std::uint64_t{1} << 32; }},
      {"offsets of the diagonal", [](Problem& p) { p.mask.diagonal.offsets = {1}; }},
      {"offset of the diagonal",
       [](Problem& p) {
         p.mask.diagonal = {Diagonal::Kind::fixed, {std::int64_t{1} << 41}};
       }},
      {"window",
       [](Problem& p) {
         p.mask.window = Window{-1, {}};
       }},
      {"key range is 1 entries",
       [](Problem& p) {
         p.mask.key_range = KeyRange{{0}, {1}};
       }},
      {"key range of batch entry 1",
       [](Problem& p) {
         p.mask.key_range = KeyRange{{0, 3}, {4, 2}};
       }},
      {"key range of batch entry 0",
       [](Problem& p) {
         p.mask.key_range = KeyRange{{0, 0}, {5, 4}};
       }},
      {"extents of mask",
       [](Problem& p) {
         p.mask.attend = BoolMask{{1, 1, 2, 1}, {1, 1}};
       }},
      {"number of values of mask",
       [](Problem& p) {
         p.mask.attend = BoolMask{{1, 1, 1, 1}, {}};
       }},
      {"threads", [](Problem& p) { p.call.threads = -1; }},
      {"splits", [](Problem& p) { p.call.splits = -1; }},
      {"number of values of mask",
       [](Problem& p) {
         p.mask.attend = BoolMask{{1, 1, 1, 1}, {2, 2}};
       }},
      {"extents of bias",
       [](Problem& p) {
         p.mask.bias = make_tensor(p.format, {1, 1, 1, 3});
       }},
      {"scale is inf", [](Problem& p) { p.scale = std::numeric_limits<double>::infinity(); }},
      {"scale is absent",
       [](Problem& p) {
         p = sample({1, 1, 1, 1, 1, 0, 1});
         p.scale.reset();
       }},
      {"softcap", [](Problem& p) { p.softcap = -1; }},
      {"softcap", [](Problem& p) { p.softcap = std::nan(""); }},
      {"extents of sinks",
       [](Problem& p) {
         p.sinks = make_tensor(p.format, {1, 1, 1, 1});
       }},
      {"a sink",
       [](Problem& p) {
         p.sinks = make_tensor(p.format, {2, 1, 1, 1});
         p.sinks->bits[1] = 0x7f800000;
       }},
      {"slope",
       [](Problem& p) {
         p.alibi_slopes = make_tensor(p.format, {2, 1, 1, 1});
         p.alibi_slopes->bits[1] = 0x7fc00000;
       }},
      {"layout of mask", [](Problem& p) { p.layouts.attend.shift = 1; }},
      {"layout of lse", [](Problem& p) { p.layouts.lse.shift = 1; }},
      {"shift of q", [](Problem& p) { p.layouts.q.shift = -1; }},
      {"strides of q",
       [](Problem& p) {
         p.layouts.q.strides = {{-1, 1, 1, 1}};
       }},
      {"strides of o",
       [](Problem& p) {
         p.layouts.o.strides = {{18, 9, 3, 0}};
       }},
      {"strides of v",
       [](Problem& p) {
         p.layouts.v.strides = {{0, 0, 3, 1}};
       }},
      {"strides of k",
       [](Problem& p) {
         p.layouts.k.strides = {{std::int64_t{1} << 32, 0, 2, 1}};
       }},
  };
  for (const auto& row : rows) {
    Problem p = sample();
    row.spoil(p);
    try {
      validate(p);
      ADD_FAILURE() << "accepted: " << row.named;
    } catch (const InputError& error) {
      EXPECT_EQ(error.code(), ExitCode::bad_data);
      EXPECT_NE(std::string(error.what()).find(row.named), std::string::npos) << error.what();
    }
  }
}

TEST(Validate, AcceptsStrideZeroWhereValuesAgree) {
  Problem p = sample();
  p.layouts.q.strides = {{0, 0, 0, 0}};  // q is all zeros
  p.layouts.o.strides = {{1, 2, 4, 12}};
  EXPECT_NO_THROW(validate(p));
}

TEST(ScaleValue, IsTheInverseRootRoundedOnce) {
  // m = midpoint beside the answer y: 1/sqrt(d) lies between the midpoints iff m^2 d straddles 1;
  // long double products of 54 by 54 bits are not exact, so compare with d * y^2 in integers of 128
  // bits instead.
  using Wide = unsigned __int128;
  for (std::int64_t d = 1; d <= 20000; ++d) {
    Problem p;
    p.shape.d_k = d;
    const double y = scale_value(p);
    const int k = 52 - std::ilogb(y);
    const auto n = static_cast<std::uint64_t>(std::ldexp(y, k));
    // (2n +- 1)^2 d against 4^(k+1): shift d's factor four out so that 128 bits suffice.
    const auto below = [&](std::uint64_t odd) {
      const Wide square = Wide{odd} * odd;  // < 2^108
      const Wide high = (square >> 40) * static_cast<Wide>(d);
      const Wide low = (square & ((Wide{1} << 40) - 1)) * static_cast<Wide>(d);
      return (high + (low >> 40)) < (Wide{1} << (2 * k + 2 - 40));
    };
    EXPECT_TRUE(below(2 * n - 1)) << d;
    EXPECT_FALSE(below(2 * n + 1)) << d;
  }
}

TEST(Visible, FollowsEachPart) {
  Problem p = sample();  // B 2, L 3, S 4
  p.mask.causal = true;
  EXPECT_TRUE(visible(p, 0, 0, 1, 1));
  EXPECT_FALSE(visible(p, 0, 0, 1, 2));
  p.mask.diagonal.kind = Diagonal::Kind::bottom_right;
  EXPECT_TRUE(visible(p, 0, 0, 1, 2));
  p.mask.key_range = KeyRange{{0, 1}, {4, 2}};
  EXPECT_EQ(diagonal_offset(p, 0), 1);
  EXPECT_EQ(diagonal_offset(p, 1), -1);
  EXPECT_FALSE(visible(p, 1, 0, 0, 0));
  EXPECT_FALSE(visible(p, 1, 0, 2, 0));
  EXPECT_TRUE(visible(p, 1, 0, 2, 1));
  p.mask.causal = false;
  p.mask.key_range.reset();
  p.mask.window = Window{1, 0};
  EXPECT_FALSE(visible(p, 0, 0, 2, 1));
  EXPECT_TRUE(visible(p, 0, 0, 2, 2));
  EXPECT_TRUE(visible(p, 0, 0, 2, 3));
  p.mask.attend = BoolMask{{2, 1, 1, 4}, {1, 1, 1, 1, 1, 1, 1, 0}};
  EXPECT_TRUE(visible(p, 0, 1, 2, 3));
  EXPECT_FALSE(visible(p, 1, 1, 2, 3));
  p.mask.bias = make_tensor(Format::binary64, {1, 2, 3, 1});
  p.mask.bias->set(0, 1, 2, 0, -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(visible(p, 0, 0, 2, 3));
  EXPECT_FALSE(visible(p, 0, 1, 2, 3));
  EXPECT_TRUE(visible_without_bias(p, 0, 1, 2, 3));
  EXPECT_TRUE(has_empty_row(p));
}

TEST(Explicit, KeepsEveryVisibilityAndBias) {
  Problem p = sample();
  p.mask.causal = true;
  p.mask.diagonal.kind = Diagonal::Kind::bottom_right;
  p.mask.window = Window{2, {}};
  p.mask.key_range = KeyRange{{0, 1}, {3, 4}};
  p.alibi_slopes = make_tensor(Format::binary32, {2, 1, 1, 1});
  p.alibi_slopes->set(1, 0, 0, 0, 0.25);
  const Explicit e = make_explicit(p);
  EXPECT_TRUE(e.exact);
  EXPECT_FALSE(uses_diagonal(e.problem));
  EXPECT_NO_THROW(validate(e.problem));
  for (std::int64_t b = 0; b < 2; ++b)
    for (std::int64_t h = 0; h < 2; ++h)
      for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < 4; ++j) {
          EXPECT_EQ(visible(p, b, h, i, j), visible(e.problem, b, h, i, j));
          const double distance = static_cast<double>(std::abs(i + diagonal_offset(p, b) - j));
          EXPECT_DOUBLE_EQ(bias_value(e.problem, b, h, i, j), h == 1 ? -0.25 * distance : 0.0);
        }
  p.mask.bias = make_tensor(Format::binary64, {1, 1, 1, 1});
  p.mask.bias->set(0, 0, 0, 0, 0x1p-60);
  EXPECT_FALSE(make_explicit(p).exact);
}

TEST(Fix, KeepsTheOffsetsAsNumbers) {
  Problem p = sample();
  p.mask.causal = true;
  p.mask.diagonal.kind = Diagonal::Kind::bottom_right;
  p.mask.key_range = KeyRange{{0, 1}, {3, 4}};
  EXPECT_EQ(fix(p).mask.diagonal, (Diagonal{Diagonal::Kind::fixed, {0, 1}}));
}

TEST(Digest, DependsOnEveryField) {
  const Problem p = sample();
  std::vector<Problem> others(12, p);
  others[0].q.bits[0] = 0x80000000;
  others[1].mask.causal = true;
  others[2].mask.diagonal.kind = Diagonal::Kind::bottom_right;
  others[3].mask.window = Window{};
  others[4].mask.window = Window{0, {}};
  others[5].scale = 1.0;
  others[6].softcap = 1.0;
  others[7].want_lse = true;
  others[8].layouts.q.shift = 1;
  others[9].layouts.k.shift = 1;
  others[10].mask.attend = BoolMask{{1, 1, 1, 1}, {1}};
  others[11].sinks = make_tensor(Format::binary32, {2, 1, 1, 1});
  std::vector<std::string> digests{digest(p)};
  for (const Problem& other : others) digests.push_back(digest(other));
  std::sort(digests.begin(), digests.end());
  EXPECT_EQ(std::adjacent_find(digests.begin(), digests.end()), digests.end());
  EXPECT_EQ(digest(p), "cd1421869baa64eb");  // golden: changes only with the digest's definition
}

TEST(Outside, NamesTheLimit) {
  const struct {
    const char *where, *named;
  } rows[] = {{"d_k=3", "d_k = 2"},
              {"unequal_heads=no", "unequal_heads"},
              {"grouped=no", "grouped"},
              {"causal=no", "causal"},
              {"causal=yes,window=yes", "window is absent"},
              {"diagonal=tl", "diagonal"},
              {"work_budget=10", "work = 240"},
              {"empty_rows=no", "empty_rows"},
              {"format=f64", "format f32"}};
  Problem p = sample();
  p.mask.causal = true;
  p.mask.diagonal = {Diagonal::Kind::fixed, {-1}};
  for (const auto& row : rows) {
    const auto answer = outside(narrow({}, row.where), p);
    ASSERT_TRUE(answer.has_value()) << row.where;
    EXPECT_NE(answer->find(row.named), std::string::npos) << *answer;
  }
  EXPECT_FALSE(outside({}, p).has_value());
}

TEST(Outside, CountsAFixedDiagonalByItsNumbers) {
  Problem p = sample();
  p.mask.causal = true;
  p.mask.diagonal = {Diagonal::Kind::fixed, {0, 0}};
  EXPECT_FALSE(outside(narrow({}, "diagonal=tl"), p).has_value());
  EXPECT_TRUE(outside(narrow({}, "diagonal=br"), p).has_value());
  p.mask.diagonal.offsets = {1};
  EXPECT_FALSE(outside(narrow({}, "diagonal=br"), p).has_value());
}

}  // namespace
}  // namespace qkvet
