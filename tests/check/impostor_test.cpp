// The impostors are computed by plain code of their own. If that code were wrong, they would be
// rejected for the wrong reason and every case would seem to have power: so here they are compared
// with the truth that they twist.
#include <gtest/gtest.h>

#include <cmath>
#include <qkvet/check/judge_own.hpp>
#include <qkvet/check/power.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/text.hpp>

#include "../support/plain_candidate.hpp"
#include "exhibits.hpp"

namespace qkvet::test {
namespace {

Outputs outputs_of(Impostor impostor, const Problem& problem, const Contract& contract) {
  const PlannedRun run{problem, ""};
  return *impostor_outputs(impostor, Exhibit{&run, &contract, {}, {}});
}

/// The largest |score| and |V| of a problem; infinity if plain double is no match for it.
double largest_size(const Problem& p, const RowEnclosure& row) {
  double most = 0;
  for (const KeyTrace& key : row.trace.keys) {
    if (!key.visible) continue;
    most = std::max({most, key.s.magnitude(), row.trace.scale.magnitude() * key.A});
  }
  for (const std::uint64_t bits : p.v.bits)
    most = std::max(most, std::fabs(decode(p.format, bits)));
  return most <= 0x1p+20 ? most : infinity;
}

TEST(Impostors, TheNegatedOutputIsTheTruthNegated) {
  Domain domain;
  domain.formats = {Format::binary64};
  domain.nonfinite = Allow::never;
  domain.work_budget = 2'000;
  const Contract contract = *builtin_contract("f64-any");
  std::int64_t compared = 0, capped = 0, sloped = 0, sunk = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    Choices choices = Choices::from_seed(mix(seed + 7));
    const Problem problem = draw(choices, domain).problem;
    const Outputs outputs = outputs_of(Impostor::sign_flip, problem, contract);
    const Shape& s = problem.shape;
    RowEncloser encloser(problem, contract.semantics, Rung::arb);
    for (std::int64_t b = 0; b < s.B; ++b)
      for (std::int64_t h = 0; h < s.H_q; ++h)
        for (std::int64_t i = 0; i < s.L; ++i) {
          const RowEnclosure row = encloser.row(b, h, i);
          const double size = largest_size(problem, row);
          if (row.row_class != RowClass::live || !std::isfinite(size)) continue;
          for (std::int64_t d = 0; d < s.d_v; ++d) {
            const double truth = row.o[static_cast<std::size_t>(d)].mid();
            ASSERT_NEAR(outputs.o.value(b, h, i, d), -truth, 0x1p-40 * size * (1 + size))
                << write_case(problem) << " at " << b << h << i << d;
            ++compared;
          }
          capped += problem.softcap > 0;
          sloped += problem.alibi_slopes.has_value();
          sunk += has_sink(problem, h);
        }
  }
  EXPECT_GT(compared, 1000);
  EXPECT_GT(std::min({capped, sloped, sunk}), 20);
}

TEST(Impostors, LargeScoresDoNotMakeThemNaN) {
  const Problem problem = read_case(
      "qk1:b1.hq1.hk1.l1.s3.dk1.dv1/f64/q:1/k:2000,1999,-2000/v:1,3,9/scale:1/causal:2", "text");
  const Outputs outputs = outputs_of(Impostor::sign_flip, problem, *builtin_contract("f64-any"));
  EXPECT_NEAR(outputs.o.value(0, 0, 0, 0), -(1 + 3 * std::exp(-1)) / (1 + std::exp(-1)), 1e-9);
}

TEST(Impostors, LeaveEveryRunAsItWas) {
  const PlannedRun run{read_case("qk1:b1.hq1.hk1.l1.s1.dk1.dv1/f32/q:1/k:1/v:1", "text"), ""};
  const Contract contract = plain_contract();
  std::vector<Exhibit> exhibits;
  for (const double got : {0.5, 1.5, 2.0}) {
    Exhibit exhibit{&run, &contract, {}, {}};
    exhibit.admissible.o = {checked(1, 1)};
    exhibit.observation.outputs = OneRow::outputs_of({got});
    exhibits.push_back(std::move(exhibit));
  }
  const Judge judge = [](std::span<const Exhibit> shown) {
    Ledger ledger("own");
    for (const Exhibit& exhibit : shown) judge_own(ledger, exhibit);
    return ledger.verdict();
  };
  EXPECT_EQ(try_impostor(Impostor::sign_flip, judge, exhibits), Tried::rejected);
  for (std::size_t n = 0; n < 3; ++n) {
    const double seen = decode(Format::binary32, exhibits[n].observation.outputs.o.bits.at(0));
    EXPECT_EQ(seen, (std::vector{0.5, 1.5, 2.0})[n]);
  }
}

}  // namespace
}  // namespace qkvet::test
