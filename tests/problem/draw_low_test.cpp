// What `draw` gives in f16 and bf16: every stratum keeps its point in a format of few bits or of
// little range.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <qkvet/problem/draw.hpp>
#include <string>

namespace qkvet {
namespace {

/// What was drawn in one stratum of one format.
struct Seen {
  int cases = 0;
  std::int64_t values = 0, at_largest = 0, nonfinite = 0, subnormal = 0;
  double largest_v = 0, highest_score = 0, lowest_score = 0;
  int distinct_neighbours = 0;  // cases whose second key differs from the first in V
  int mixed_bias = 0;
};

void look_at(const Tensor& tensor, Seen& seen) {
  const FormatInfo& format = info(tensor.format);
  for (const std::uint64_t bits : tensor.bits) {
    const double size = std::fabs(decode(tensor.format, bits));
    ++seen.values;
    seen.at_largest += size >= format.max && std::isfinite(size) ? 1 : 0;
    seen.nonfinite += std::isfinite(size) ? 0 : 1;
    seen.subnormal += size > 0 && size < format.mu ? 1 : 0;
  }
}

double score(const Problem& p, std::int64_t h, std::int64_t i, std::int64_t j) {
  double dot = 0;
  for (std::int64_t c = 0; c < p.shape.d_k; ++c) {
    dot += p.q.value(0, h, i, c) * p.k.value(0, p.shape.kv_head(h), j, c);
  }
  return dot * scale_value(p);
}

void look_at(const Problem& p, Seen& seen) {
  ++seen.cases;
  look_at(p.q, seen);
  look_at(p.k, seen);
  look_at(p.v, seen);
  const Shape& s = p.shape;
  seen.mixed_bias += p.mask.bias && p.mask.bias->format != p.format ? 1 : 0;
  if (s.work() == 0 || s.d_v == 0 || seen.nonfinite > 0) return;
  for (const std::uint64_t bits : p.v.bits) {
    seen.largest_v = std::max(seen.largest_v, std::fabs(decode(p.format, bits)));
  }
  for (std::int64_t j = 0; j < s.S; ++j) {
    seen.highest_score = std::max(seen.highest_score, score(p, 0, 0, j));
    seen.lowest_score = std::min(seen.lowest_score, score(p, 0, 0, j));
  }
  const bool differ = s.S > 1 && p.v.bits[0] != p.v.bits[static_cast<std::size_t>(s.d_v)];
  seen.distinct_neighbours += differ ? 1 : 0;
}

using Census = std::map<std::string, Seen>;

Census census(Format format) {
  Domain domain;
  domain.formats = {format};
  domain.work_budget = 20'000;
  Census out;
  for (std::uint64_t n = 0; n < 2500; ++n) {
    Choices choices = Choices::from_seed(mix(n));
    const Drawn drawn = draw(choices, domain);
    EXPECT_EQ(drawn.problem.format, format);
    look_at(drawn.problem, out[std::string(drawn.stratum)]);
  }
  return out;
}

class DrawLow : public testing::TestWithParam<Format> {
 protected:
  static const Census& seen() {
    static std::map<Format, Census> all;
    if (!all.contains(GetParam())) all[GetParam()] = census(GetParam());
    return all[GetParam()];
  }
};

INSTANTIATE_TEST_SUITE_P(Formats, DrawLow, testing::Values(Format::binary16, Format::bfloat16),
                         [](const auto& tested) { return std::string(qkvet::info(tested.param).name); });

TEST_P(DrawLow, ReachesEveryStratum) { EXPECT_EQ(seen().size(), strata().size()); }

TEST_P(DrawLow, IsFiniteUnlessItsStratumSaysOtherwise) {
  for (const auto& [name, stratum] : seen()) {
    if (name == "visible-nonfinite" || name == "hidden-garbage") {
      EXPECT_GT(stratum.nonfinite, 0) << name;
    } else {
      EXPECT_EQ(stratum.nonfinite, 0) << name;
    }
  }
}

TEST_P(DrawLow, ClampsNothing) {
  for (const auto& [name, stratum] : seen()) {
    if (name == "format-limit") continue;
    EXPECT_EQ(stratum.at_largest, 0) << name << " of " << stratum.values;
  }
}

TEST_P(DrawLow, DesignedScoresKeepTheirSize) {
  const Census& all = seen();
  EXPECT_LT(all.at("low-scores").lowest_score, -5e4);
  EXPECT_LT(all.at("low-then-high").lowest_score, -5e4);
  EXPECT_GT(all.at("scores-1e4").highest_score, 8e3);
  EXPECT_GT(all.at("rising-tiles").highest_score, 200);
  EXPECT_GT(all.at("needle").highest_score, 250);
}

TEST_P(DrawLow, ReachesTheLimitsOfItsFormat) {
  const Seen& limit = seen().at("format-limit");
  EXPECT_GT(limit.largest_v, info(GetParam()).max / 4);
  const double scores = GetParam() == Format::binary16 ? info(Format::binary16).max : 0x1p100;
  EXPECT_GT(std::max(limit.highest_score, -limit.lowest_score), scores);
  EXPECT_GT(seen().at("subnormal").subnormal, 100);
}

TEST_P(DrawLow, NeighbouringKeysDifferInV) {
  for (const char* name : {"cancelling-v", "v-key-index", "unit-gaussian"}) {
    const Seen& stratum = seen().at(name);
    EXPECT_GT(stratum.distinct_neighbours * 2, stratum.cases) << name;
  }
}

TEST_P(DrawLow, SometimesHasABiasInAnotherFormat) {
  int mixed = 0;
  for (const auto& [name, stratum] : seen()) mixed += stratum.mixed_bias;
  EXPECT_GT(mixed, 20);
  EXPECT_LT(mixed, 250);
}

TEST(DrawLow16, KeyIndicesAreExactAndNeverRepeatInATile) {
  for (const Format format : {Format::binary16, Format::bfloat16}) {
    Domain domain;
    domain.formats = {format};
    domain.S = {130, 300};
    domain.B = domain.H_kv = {1, 1};
    domain.nonfinite = Allow::never;
    for (std::uint64_t n = 0, found = 0; found < 5; ++n) {
      Choices choices = Choices::from_seed(n);
      const Drawn drawn = draw(choices, domain);
      if (drawn.stratum != "v-key-index") continue;
      ++found;
      const Problem& p = drawn.problem;
      for (std::int64_t j = 64; j < p.shape.S; ++j) {
        EXPECT_NE(p.v.bits[p.v.index(0, 0, j, 0)], p.v.bits[p.v.index(0, 0, j - 64, 0)]) << j;
      }
    }
  }
}

}  // namespace
}  // namespace qkvet
