// One row of docs/kill-matrix.md: which properties kill a mutant, and after how many cases.
//   kill_matrix MUTANT [OTHERS]   OTHERS: cases of each property that is not the named one (100)
// prints tab-separated: class, contract, named property, cases to its first FAIL for seeds 1, 2, 3
// ("-" if there is none in the ci profile), seconds of the processor for them, the other properties
// that kill ("name cases", with " alone" where matches-reference passes on that very case), and the
// answer of a usual test on Gaussian inputs. One process per mutant: some keep a state.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <properties/registry.hpp>
#include <qkvet/check/examine.hpp>
#include <qkvet/problem/draw.hpp>
#include <qkvet/oracle/oracle.hpp>
#include <qkvet/problem/text.hpp>

#include "load.hpp"
#include "table.hpp"

namespace {

using namespace qkvet;

struct Kill {
  std::int64_t after = 0;
  Problem problem;
};

std::optional<Kill> first_kill(Candidate& candidate, const Property& property, std::uint64_t seed,
                               std::optional<std::int64_t> cases) {
  CampaignOptions options = test::ci_campaign(candidate);
  options.stop_first = true;
  options.seed = seed;
  options.cases = cases;
  options.properties = {&property};
  const Report report = run_campaign(candidate, options);
  if (report.findings.empty()) return std::nullopt;
  const FindingRecord& record = report.findings.front();
  return Kill{record.after, read_case(record.case_text, "finding")};
}

/// Does matches-reference pass on the case?
bool reference_passes(Candidate& candidate, const Problem& problem) {
  const Contract contract = candidate.contracts().at(problem.format);
  const Verdict verdict = examine(problem, *property_named("matches-reference"), candidate,
                                  contract, {CrossCheck::never});
  return std::holds_alternative<Pass>(verdict);
}

void fill_gaussian(Choices& choices, Tensor& tensor) {
  for (std::uint64_t& bits : tensor.bits) bits = encode(tensor.format, choices.gaussian());
}

/// What many test suites do: Gaussian inputs, allclose with 1e-2, three standard shapes (causal, a
/// random boolean mask, grouped heads).
bool usual_test_passes(Candidate& candidate) {
  const Format format = candidate.contracts().contracts.front().format;
  Choices choices = Choices::from_seed(7);
  for (int n = 0; n < 3; ++n) {
    Problem problem;
    problem.format = format;
    problem.shape = {2, 4, n == 2 ? 2 : 4, 64, 64, 64, 64};
    const Shape& s = problem.shape;
    problem.q = make_tensor(format, {s.B, s.H_q, s.L, s.d_k});
    problem.k = make_tensor(format, {s.B, s.H_kv, s.S, s.d_k});
    problem.v = make_tensor(format, {s.B, s.H_kv, s.S, s.d_v});
    for (Tensor* tensor : {&problem.q, &problem.k, &problem.v}) fill_gaussian(choices, *tensor);
    problem.mask.causal = n == 0;
    if (n == 1) {
      BoolMask mask{{s.B, 1, s.L, s.S}, {}};
      for (std::int64_t i = 0; i < s.B * s.L * s.S; ++i) {
        mask.attend.push_back(i % s.S == 0 || choices.chance(1, 2) ? 1 : 0);
      }
      problem.mask.attend = std::move(mask);
    }
    const Observation seen = candidate.run(problem);
    if (seen.status != RunStatus::ok) return false;
    const Semantics semantics = candidate.contracts().at(format).semantics;
    std::size_t at = 0;
    for (std::int64_t row = 0; row < s.B * s.H_q * s.L; ++row) {
      const RowEnclosure exact = enclose_row(problem, semantics, Rung::first, row / (s.H_q * s.L),
                                             row / s.L % s.H_q, row % s.L);
      for (const Interval& o : exact.o) {
        const double got = decode(format, seen.outputs.o.bits[at++]);
        if (!(std::fabs(got - o.mid()) <= 1e-2 + 1e-2 * std::fabs(o.mid()))) return false;
      }
    }
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fprintf(stderr, "usage: kill_matrix MUTANT [OTHERS]\n"), 2;
  const std::string name = argv[1];
  const std::int64_t others = argc > 2 ? std::atoll(argv[2]) : 100;
  const auto rows = test::mutant_table(QKVET_MUTANT_TABLE);
  const auto row =
      std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.name == name; });
  if (row == rows.end())
    return std::fprintf(stderr, "kill_matrix: %s: no such mutant\n", argv[1]), 2;
  const auto candidate = test::load_mutant(name);
  const Property* named = property_named(row->killer);
  if (named == nullptr) return std::fprintf(stderr, "kill_matrix: %s has no killer\n", argv[1]), 2;

  std::string after;
  const std::clock_t start = std::clock();
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const auto kill = first_kill(*candidate, *named, seed, std::nullopt);
    after += fmt::format("{}{}", seed == 1 ? "" : " / ", kill ? std::to_string(kill->after) : "-");
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::string also;
  for (const Property& property : all_properties()) {
    if (&property == named) continue;
    const auto kill = first_kill(*candidate, property, 1, others);
    if (!kill) continue;
    const bool alone =
        property.name != "matches-reference" && reference_passes(*candidate, kill->problem);
    also += fmt::format("{}{} {}{}", also.empty() ? "" : ", ", property.name, kill->after,
                        alone ? " alone" : "");
  }
  fmt::print("{}\t{}\t{}\t{}\t{}\t{:.1f}\t{}\t{}\n", row->name, row->kind, row->contract,
             row->killer, after, seconds / 3, also,
             usual_test_passes(*candidate) ? "passes" : "fails");
  return 0;
}
