#include <algorithm>
#include <qkvet/check/judge_own.hpp>
#include <qkvet/check/observe.hpp>
#include <qkvet/check/power.hpp>
#include <utility>

namespace qkvet {

std::string_view word(Impostor impostor) {
  switch (impostor) {
    case Impostor::zeros:
      return "zeros";
    case Impostor::mean_v:
      return "the mean of the visible V";
    case Impostor::first_v:
      return "V[0]";
    case Impostor::unmasked:
      return "the output without its mask";
    case Impostor::sign_flip:
      break;
  }
  return "the negated output";
}

Tried try_impostor(Impostor impostor, const Judge& judge, std::span<Exhibit> exhibits) {
  std::vector<Observation> kept;
  bool exists = false;
  for (Exhibit& exhibit : exhibits) {
    auto outputs = impostor_outputs(impostor, exhibit);
    kept.push_back(std::move(exhibit.observation));
    exhibit.observation = {};
    exhibit.observation.outputs = outputs ? std::move(*outputs) : kept.back().outputs;
    exists = exists || outputs.has_value();
  }
  const bool rejected = exists && std::holds_alternative<Fail>(judge(exhibits));
  for (std::size_t run = 0; run < exhibits.size(); ++run) {
    exhibits[run].observation = std::move(kept[run]);
  }
  return !exists ? Tried::absent : rejected ? Tried::rejected : Tried::accepted;
}

namespace {

/// Those of `asked` that the exhibits reject are dropped.
std::vector<Impostor> not_rejected(const std::vector<Impostor>& asked, const Judge& judge,
                                   std::span<Exhibit> exhibits) {
  std::vector<Impostor> rest;
  for (const Impostor impostor : asked) {
    if (try_impostor(impostor, judge, exhibits) != Tried::rejected) rest.push_back(impostor);
  }
  return rest;
}

std::string reason_for(const std::vector<Impostor>& standing) {
  std::string reason;
  for (const Impostor impostor : standing) {
    reason.append(reason.empty() ? "the plan would accept " : ", ").append(word(impostor));
  }
  return reason;
}

}  // namespace

Verdict with_power(const Property& property, const Judge& judge, const Pass& pass,
                   std::span<Exhibit> exhibits, Candidate& candidate) {
  std::vector<Impostor> standing;
  for (const Impostor impostor : property.impostors) {
    if (try_impostor(impostor, judge, exhibits) == Tried::accepted) standing.push_back(impostor);
  }
  if (standing.empty()) return pass;
  const Judge own = [&property](std::span<const Exhibit> shown) {
    Ledger ledger(property.name);
    for (const Exhibit& exhibit : shown) judge_own(ledger, exhibit);
    return ledger.verdict();
  };
  const Exhibit& first = exhibits.front();
  const std::vector<PlannedRun> runs = controls(first.run->problem, *first.contract);
  Pass total = pass;
  for (const PlannedRun& run : runs) {
    std::vector<Exhibit> shown{Exhibit{&run, first.contract, {}, {}}};
    admit_all(shown, Rung::first);  // wider than Arb's: what it rejects, Arb rejects
    std::vector<Impostor> still = not_rejected(standing, own, shown);
    if (still.size() == standing.size()) continue;
    shown = observe({&run, 1}, *first.contract, candidate);
    const auto ended = judge_calls(property, shown, candidate);
    if (ended && std::holds_alternative<Refused>(*ended)) continue;
    const Verdict verdict = ended ? *ended : decide(own, shown);
    const auto* passed = std::get_if<Pass>(&verdict);
    if (passed == nullptr) return verdict;
    total.headroom = std::max(total.headroom, passed->headroom);
    total.tally += passed->tally;
    standing = std::move(still);
    if (standing.empty()) return total;
  }
  return Vacuous{reason_for(standing), pass.tally};
}

}  // namespace qkvet
