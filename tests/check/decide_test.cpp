// A Pass of the first rung: docs/bounds.md 8.4.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <initializer_list>
#include <qkvet/check/decide.hpp>
#include <qkvet/num/mag.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/problem.hpp>

namespace qkvet::test {
namespace {

// Places of drawn problems that the first rung takes upon itself, beside those of Arb.
void visit_sharp_places(const std::function<void(const Place&, const Place&)>& visit) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Choices choices = Choices::from_seed(mix(seed + 4000));
    Domain domain;
    constexpr Format formats[] = {Format::binary32, Format::binary16, Format::bfloat16};
    domain.formats = {formats[seed % 3]};
    domain.work_budget = 4000;
    const Problem problem = draw(choices, domain).problem;
    const char* const suffix = seed % 2 == 0 ? "-any" : seed % 3 == 0 ? "-ieee" : "-math";
    const Contract contract = *builtin_contract(std::string(info(problem.format).name) + suffix);
    const Admissible first = admit(problem, contract, Rung::first);
    const Admissible arb = admit(problem, contract, Rung::arb);
    for (std::size_t n = 0; n < first.o.size(); ++n) {
      const Place& a = first.o[n];
      if (a.kind != PlaceKind::checked || !well_inside_place(a, a.exact.mid())) continue;
      ASSERT_EQ(arb.o[n].kind, PlaceKind::checked);
      visit(a, arb.o[n]);
    }
  }
}

// docs/bounds.md 8.4: what passes on the first rung is within its radius of the exact value itself,
// not only of the near end of its enclosure.
TEST(FirstRung, PassesOnlyWhatItsRadiusProves) {
  std::int64_t passed = 0, refused = 0;
  visit_sharp_places([&](const Place& place, const Place& arb) {
    for (const double end : {place.exact.lo, place.exact.hi}) {
      for (const double radius : {-place.radius, place.radius}) {
        double x = end + radius;
        for (int step = 0; step < 3; ++step) x = std::nextafter(x, end);
        for (int step = 0; step < 7; ++step, x = std::nextafter(x, x + radius)) {
          if (!well_inside_place(place, x)) {
            ++refused;
            continue;
          }
          ++passed;
          // Surely farther from the exact value than the radius?
          const double far = std::max(add_down(x, -arb.exact.hi), add_down(arb.exact.lo, -x));
          ASSERT_FALSE(far > place.radius) << x << " at " << place.exact.lo << " " << place.radius;
        }
      }
    }
  });
  EXPECT_GT(passed, 5'000);
  EXPECT_GT(refused, 5'000);
}

// Nothing rests on this: a larger radius would only be a less sharp one.
TEST(FirstRung, IsAsSharpAsArbToAThousandthWhereItPasses) {
  double worst = 0;
  std::int64_t seen = 0;
  visit_sharp_places([&](const Place& place, const Place& arb) {
    ++seen;
    worst = std::max(worst, place.radius / arb.radius);
  });
  EXPECT_GT(seen, 5'000);
  EXPECT_LE(worst, 1.001);
  std::printf("largest radius of the first rung over that of Arb: 1 + %.3g, of %lld places\n",
              worst - 1, static_cast<long long>(seen));
}

// One query, two keys whose scores are `score` and one unit less of it.
Problem two_keys(double score) {
  Problem p;
  p.shape = {1, 1, 1, 1, 2, 1, 1};
  p.scale = 1;
  const auto tensor = [&](std::initializer_list<double> values) {
    Tensor t = make_tensor(p.format, {1, 1, static_cast<std::int64_t>(values.size()), 1});
    std::transform(values.begin(), values.end(), t.bits.begin(),
                   [&](double x) { return encode(p.format, x); });
    return t;
  };
  p.q = tensor({1});
  p.k = tensor({score, score - 1});
  p.v = tensor({1, 2});
  validate(p);
  return p;
}

// Whose allowed sets a judge was shown last: those of the first rung, or Arb's?
bool arb_decides(const Problem& problem, const Verdict& verdict) {
  const Contract contract = *builtin_contract("f32-any");
  const PlannedRun run{problem, ""};
  std::vector<Exhibit> exhibits{Exhibit{&run, &contract, {}, {}}};
  (void)decide([&](std::span<const Exhibit>) { return verdict; }, exhibits);
  const Interval& shown = exhibits.front().admissible.o.front().exact;
  const Interval first = admit(problem, contract, Rung::first).o.front().exact;
  const Interval arb = admit(problem, contract, Rung::arb).o.front().exact;
  EXPECT_LT(arb.hi - arb.lo, first.hi - first.lo);
  EXPECT_GE(shown.hi - shown.lo, arb.hi - arb.lo);
  return shown.hi - shown.lo < first.hi - first.lo;
}

TEST(Decide, LetsTheFirstRungPassWhatIsWithinItsRadius) {
  EXPECT_FALSE(arb_decides(two_keys(3), Pass{1, {}}));
}

TEST(Decide, AsksArbWhereTheFirstRungProvesNoPass) {
  EXPECT_TRUE(arb_decides(two_keys(3), Pass{std::nextafter(1, 2), {}})) << "beyond the far end";
  EXPECT_TRUE(arb_decides(two_keys(3), Fail{}));
  Tally uncheckable;
  uncheckable.uncheckable = 1;
  EXPECT_TRUE(arb_decides(two_keys(3), Pass{0, uncheckable}));
}

TEST(Decide, AsksArbWhereAnEnclosureIsWide) {
  EXPECT_TRUE(arb_decides(two_keys(0x1p23), Pass{0, {}})) << "the hull of V decides";
}

}  // namespace
}  // namespace qkvet::test
