// Rewrites: what each row sees, key by key, stays what it was, and numbers stay exact.
#include <gtest/gtest.h>

#include <cmath>
#include <qkvet/problem/draw.hpp>

#include "properties/rewrites.hpp"
#include "properties/tools.hpp"

namespace qkvet::test {
namespace {

/// A small problem with many features, the n-th.
Problem drawn(int n) {
  Domain domain;
  domain.formats = {Format::binary32};
  domain.B = {1, 3};
  domain.H_q = {1, 4};
  domain.H_kv = {1, 2};
  domain.L = {1, 6};
  domain.S = {1, 9};
  domain.d_k = domain.d_v = {1, 3};
  domain.nonfinite = Allow::never;  // numbers are compared
  Choices choices = Choices::from_seed(mix(static_cast<std::uint64_t>(n) + 5));
  return draw(choices, domain).problem;
}

/// Visits every (b, h, i, j).
template <class Visit>
void for_scores(const Shape& s, const Visit& visit) {
  for_rows(s, [&](auto b, auto h, auto i) {
    for (std::int64_t j = 0; j < s.S; ++j) visit(b, h, i, j);
  });
}

double distance(const Problem& p, std::int64_t b, std::int64_t i, std::int64_t j) {
  return static_cast<double>(std::abs(i + diagonal_offset(p, b) - j));
}

TEST(Fix, LeavesWhatIsSeenAndTheDistances) {
  for (int n = 0; n < 300; ++n) {
    const Problem p = drawn(n), q = fix(p);
    ASSERT_EQ(q.mask.diagonal.kind, Diagonal::Kind::fixed);
    for_scores(p.shape, [&](auto b, auto h, auto i, auto j) {
      ASSERT_EQ(visible(p, b, h, i, j), visible(q, b, h, i, j)) << n;
      ASSERT_EQ(distance(p, b, i, j), distance(q, b, i, j)) << n;
    });
  }
}

TEST(Explicit, LeavesWhatIsSeenAndTheBias) {
  int exact = 0, alibi = 0;
  for (int n = 0; n < 300; ++n) {
    const Problem p = drawn(n);
    const Explicit e = make_explicit(p);
    const Problem& q = e.problem;
    EXPECT_FALSE(q.mask.causal || q.mask.window || q.mask.key_range || q.alibi_slopes);
    exact += e.exact ? 1 : 0;
    alibi += p.alibi_slopes ? 1 : 0;
    for_scores(p.shape, [&](auto b, auto h, auto i, auto j) {
      ASSERT_EQ(visible(p, b, h, i, j), visible(q, b, h, i, j)) << n;
      if (!visible(p, b, h, i, j) || !e.exact) return;
      double bias = p.mask.bias ? bias_value(p, b, h, i, j) : 0;
      if (p.alibi_slopes) bias -= p.alibi_slopes->value(h, 0, 0, 0) * distance(p, b, i, j);
      ASSERT_EQ(bias, q.mask.bias ? bias_value(q, b, h, i, j) : 0) << n;
    });
  }
  EXPECT_GT(exact, 250);
  EXPECT_GT(alibi, 10);
}

TEST(CutKeys, MovesDiagonalAndRangeAlong) {
  int cut = 0;
  for (int n = 0; n < 300; ++n) {
    const Problem p = drawn(n);
    if (p.shape.S < 3) continue;
    const std::int64_t from = 1, count = p.shape.S - 2;
    const Problem q = cut_keys(p, from, count);
    for_scores(q.shape, [&](auto b, auto h, auto i, auto j) {
      ASSERT_EQ(visible(p, b, h, i, j + from), visible(q, b, h, i, j)) << n;
      ++cut;
    });
  }
  EXPECT_GT(cut, 1000);
}

TEST(InsertKeys, InFrontAndBehindLeavesTheOthers) {
  for (int n = 0; n < 300; ++n) {
    const Problem p = drawn(n);
    if (p.shape.S == 0) continue;
    Choices choices = Choices::from_seed(3);
    for (const std::int64_t at : {std::int64_t{0}, p.shape.S}) {
      const Problem q = insert_keys(p, at, 2, choices);
      for_scores(p.shape, [&](auto b, auto h, auto i, auto j) {
        ASSERT_EQ(visible(p, b, h, i, j), visible(q, b, h, i, at == 0 ? j + 2 : j)) << n;
      });
    }
  }
}

TEST(TakeEntriesHeadsAndRows, CarryAllThatBelongsToThem) {
  for (int n = 0; n < 300; ++n) {
    const Problem p = drawn(n);
    const Problem entry = take_entries(p, {p.shape.B - 1});
    const Problem rows = slice_rows(p, p.shape.L - 1, 1);
    for_scores(entry.shape, [&](auto b, auto h, auto i, auto j) {
      ASSERT_EQ(visible(p, p.shape.B - 1, h, i, j), visible(entry, b, h, i, j)) << n;
    });
    for_scores(rows.shape, [&](auto b, auto h, auto i, auto j) {
      ASSERT_EQ(visible(p, b, h, p.shape.L - 1, j), visible(rows, b, h, i, j)) << n;
    });
    const std::int64_t h = p.shape.H_q - 1;
    const Problem head = take_heads(p, {h}, {p.shape.kv_head(h)});
    for_scores(head.shape, [&](auto b, auto, auto i, auto j) {
      ASSERT_EQ(visible(p, b, h, i, j), visible(head, b, 0, i, j)) << n;
      if (!p.sinks) return;
      ASSERT_EQ(p.sinks->bits[static_cast<std::size_t>(h)], head.sinks->bits[0]);
    });
  }
}

TEST(PermuteKeys, CarriesMasksAlong) {
  for (int n = 0; n < 200; ++n) {
    const Problem p = with_explicit_keys(drawn(n));
    Choices choices = Choices::from_seed(mix(static_cast<std::uint64_t>(n)));
    const auto order = permutation(choices, p.shape.S);
    const Problem q = permute_keys(p, order);
    for_scores(p.shape, [&](auto b, auto h, auto i, auto j) {
      const std::int64_t from = order[static_cast<std::size_t>(j)];
      ASSERT_EQ(visible(p, b, h, i, from), visible(q, b, h, i, j)) << n;
      ASSERT_EQ(p.k.value(b, p.shape.kv_head(h), from, 0), q.k.value(b, p.shape.kv_head(h), j, 0));
    });
  }
}

TEST(SumGrid, SumsOfTwoAndTheShiftOfValuesAreExact) {
  for (const Format format : all_formats()) {
    Tensor tensor = make_tensor(format, {1, 1, 1, 200});
    Choices choices = Choices::from_seed(9);
    for (std::uint64_t& bits : tensor.bits) bits = encode(format, 40 * choices.gaussian());
    to_sum_grid(tensor);
    const double shift = format == Format::bfloat16 ? 1 : 8;
    for (const std::uint64_t bits : tensor.bits) {
      const double x = decode(format, bits), y = on_sum_grid(format, choices);
      EXPECT_TRUE(is_exact(format, x + y)) << x << " + " << y;
      EXPECT_TRUE(is_exact(format, x + shift)) << x;
    }
  }
}

TEST(Permutation, IsNeverTheIdentity) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Choices choices = Choices::from_seed(mix(seed));
    const auto order = permutation(choices, 2);
    EXPECT_EQ(order, (std::vector<std::int64_t>{1, 0}));
  }
}

}  // namespace
}  // namespace qkvet::test
