#include <fmt/format.h>

#include <algorithm>
#include <qkvet/campaign/fault_key.hpp>
#include <qkvet/campaign/recorder.hpp>
#include <qkvet/campaign/rulings.hpp>
#include <qkvet/campaign/store.hpp>
#include <qkvet/check/power.hpp>
#include <qkvet/problem/text.hpp>
#include <qkvet/report/writers.hpp>

namespace qkvet {
namespace {

/// A call that hangs costs its whole time limit, so it is shrunk with few calls.
MinimiseBudget budget_for(const Finding& finding, const MinimiseBudget& wanted) {
  MinimiseBudget budget = wanted;
  if (finding.label == "timeout") budget.calls = std::min<std::int64_t>(budget.calls, 12);
  if (finding.label == "crash") budget.calls = std::min<std::int64_t>(budget.calls, 300);
  return budget;
}

/// One line for the case file.
std::string summary(const Finding& finding) {
  if (!about_a_place(finding)) return fmt::format("{}: {}", finding.label, finding.message);
  return fmt::format("{} at {}, got {}, allowed {}", finding.label, describe_place(finding.place),
                     finding.got, describe_allowed(finding.allowed));
}

std::string contract_name(const Contract& contract) {
  return fmt::format("{}/{}{}", contract.name, contract.version,
                     contract.assumed ? " (assumed)" : "");
}

/// The largest terms of the bound at a place of the problem itself, for "why so wide": the first
/// three.
std::vector<std::string> largest_terms(const Problem& problem, const Contract& contract,
                                       const Finding& finding) {
  const PlaceIndex& at = finding.place;
  const bool derived = finding.allowed.kind == PlaceKind::checked && finding.allowed.radius > 0;
  if (!derived || !finding.run.empty() || at.c < 0 || !about_a_place(finding)) return {};
  const RowEnclosure row = enclose_row(problem, contract.semantics, Rung::arb, at.b, at.h, at.i);
  std::vector<Term> terms = explain_bound(problem, contract, row, at.c);
  std::stable_sort(terms.begin(), terms.end(),
                   [](const Term& a, const Term& b) { return a.value > b.value; });
  double sum = 0;
  for (const Term& term : terms) sum += term.value;
  std::vector<std::string> words;
  for (const Term& term : terms) {
    if (words.size() == 3 || !(term.value > 0) || !(sum > 0)) break;
    words.push_back(
        fmt::format("{} {:.0f}% (section {})", term.name, 100 * term.value / sum, term.section));
  }
  return words;
}

}  // namespace

FindingRecord Recorder::describe(const Problem& problem, const Property& property,
                                 const Finding& finding, const Terms& terms,
                                 std::string_view stratum, std::int64_t after) const {
  FindingRecord record;
  record.finding = finding;
  record.finding.property = property.name;
  record.case_text = write_case(problem);
  record.format = info(problem.format).name;
  record.shape = describe_shape(problem);
  record.stratum = stratum;
  record.contract = contract_name(terms.contract);
  record.assumed_fields = terms.contract.assumed_fields;
  record.after = after;
  return record;
}

std::string Recorder::save(const Problem& problem, const FindingRecord& record, const Terms& terms,
                           bool raw) {
  if (options_.out.empty()) return "";
  Counterexample example{
      problem,
      {{"property", record.finding.property},
       {"candidate", report_.candidate},
       {"contract", fmt::format("{} {}", record.contract, digest(terms.contract))},
       {"finding", summary(record.finding)},
       {"signature", record.finding.signature()},
       {"seed", std::to_string(options_.seed)},
       {"stratum", record.stratum},
       {"minimal", raw ? "no" : "yes"},
       {"qkvet", std::string(version())}}};
  if (record.state_dependent) example.about.emplace("state", "fails only after earlier calls");
  if (!record.rule.empty()) example.about.emplace("rule", record.rule);
  if (!record.key.empty()) example.about.emplace("key", record.key);
  try {
    const Store store(options_.out);
    return (raw ? store.save_raw(example) : store.save_minimal(example)).string();
  } catch (const InputError& error) {
    // The finding is still in the report; the exit code tells that the disk did not take it.
    const auto same = [&](const Trouble& known) { return known.message == error.what(); };
    if (std::none_of(report_.troubles.begin(), report_.troubles.end(), same)) {
      report_.troubles.push_back({error.code(), error.what()});
    }
    return "";
  }
}

void Recorder::try_again(const Problem& problem, const Property& property, const Terms& terms,
                         FindingRecord& record) {
  const ExamineOptions options{options_.cross_check};
  for (record.tries = 1, record.reproduced = 1; record.tries < 3; ++record.tries) {
    const Verdict verdict = examine(problem, property, candidate_, terms.contract, options);
    const Finding* found = finding_of(verdict);
    if (found != nullptr && found->signature() == record.finding.signature()) ++record.reproduced;
  }
}

bool Recorder::fails_afresh(const Problem& problem, const Property& property, const Terms& terms) {
  if (!candidate_.renew()) return true;
  const Verdict verdict =
      examine(problem, property, candidate_, terms.contract, ExamineOptions{options_.cross_check});
  return std::holds_alternative<Fail>(verdict);
}

Minimised Recorder::shrink(const Failing& from, const Property& property, const Terms& terms,
                           bool afresh) {
  MinimiseBudget budget = budget_for(from.finding, options_.minimise);
  budget.afresh = afresh;
  // Each call starts a process, which may import a whole framework.
  if (afresh) budget.calls = std::min<std::int64_t>(budget.calls, 40);
  return minimise(from.problem, from.finding, property, candidate_, terms.contract, terms.domain,
                  ExamineOptions{options_.cross_check}, budget, options_.stopped);
}

/// The campaign itself, of one property.
std::string Recorder::campaign_line(const std::string& property) const {
  std::string line = options_.command;
  if (!line.starts_with("qkvet check ")) return line;
  if (line.find(" --seed") == std::string::npos) line += fmt::format(" --seed {}", options_.seed);
  return options_.selected ? line : line + fmt::format(" --prop {}", property);
}

/// The command that shows the finding again. What only comes after earlier calls needs those calls:
/// the campaign itself, of this property alone.
std::string Recorder::repro(const FindingRecord& record) const {
  const std::string& property = record.finding.property;
  if (record.state_dependent && !options_.command.empty()) return campaign_line(property);
  return repro_line(record.case_text, record.saved, property, report_.candidate,
                    options_.repro_flags);
}

/// A control is a problem of its own. Where the property fails on that one by itself, that is the
/// case to tell: it shows the wrong output at first sight.
std::optional<Recorder::Failing> Recorder::failing_control(const Problem& problem,
                                                           const Property& property,
                                                           const Finding& finding,
                                                           const Terms& terms) {
  if (finding.run.empty()) return std::nullopt;
  for (const PlannedRun& control : controls(problem, terms.contract)) {
    if (control.role != finding.run || outside(terms.domain, control.problem)) continue;
    if (property.applies(control.problem, terms.contract)) continue;
    const Verdict verdict = examine(control.problem, property, candidate_, terms.contract,
                                    ExamineOptions{options_.cross_check});
    const Finding* found = finding_of(verdict);
    if (std::holds_alternative<Fail>(verdict) && found->run.empty()) {
      return Failing{control.problem, *found};
    }
  }
  return std::nullopt;
}

/// One more run of the minimal case, under the watch of whoever asked for the criteria.
std::string Recorder::rules_on(const Problem& problem, const Property& property,
                               const Finding& finding, const Terms& terms) {
  if (!options_.criteria || !about_a_place(finding)) return "";
  std::string line;
  ExamineOptions how{options_.cross_check};
  how.watch = [&](const Exhibit& exhibit) {
    line = rulings_line(rulings_on(exhibit, options_.twin));
  };
  const Verdict again = examine(problem, property, candidate_, terms.contract, how);
  return std::holds_alternative<Fail>(again) ? line : "";
}

bool Recorder::fail(const Problem& problem, const Property& property, const Finding& finding,
                    const Terms& terms, std::string_view stratum, std::int64_t after) {
  if (const auto control = failing_control(problem, property, finding, terms)) {
    return fail(control->problem, property, control->finding, terms, stratum, after);
  }
  if (FindingRecord* known = known_fault({problem, finding}, property, terms)) {
    ++known->seen;
    return false;
  }
  FindingRecord record = describe(problem, property, finding, terms, stratum, after);
  // Durable before anything risky happens: the next call may take the machine down.
  record.saved = save(problem, record, terms, true);
  report_.findings.push_back(record);
  const std::size_t index = report_.findings.size() - 1;
  if (finding.label != "timeout") try_again(problem, property, terms, record);
  // A hang and a crash that a fresh process repeats were tried there already; so this is for the
  // rest.
  record.state_dependent = finding.label != "timeout" && !fails_afresh(problem, property, terms);
  Problem smallest = problem;
  if (record.reproduced == record.tries && !record.state_dependent) {
    const Failing found{problem, finding};
    Minimised minimal = shrink(found, property, terms, false);
    // What earlier calls left behind may have led the minimiser astray: then once more, without.
    const bool holds = minimal.steps == 0 || finding.label == "timeout" ||
                       fails_afresh(minimal.problem, property, terms);
    if (!holds) minimal = shrink(found, property, terms, true);
    FindingRecord again =
        describe(minimal.problem, property, minimal.finding, terms, stratum, after);
    again.saved = record.saved;
    again.steps = minimal.steps;
    again.calls = minimal.calls;
    again.exhausted = minimal.exhausted && options_.minimise.calls > 0;
    again.tries = record.tries;
    again.reproduced = record.reproduced;
    record = std::move(again);
    smallest = std::move(minimal.problem);
    record.rule = rule_beside(smallest, property, finding, terms);
    record.key = fault_key(smallest, record.finding);
  }
  if (const std::string saved = save(smallest, record, terms, false); !saved.empty()) {
    record.saved = saved;
  }
  record.bound_terms = largest_terms(smallest, terms.contract, record.finding);
  record.also = rules_on(smallest, property, record.finding, terms);
  record.repro = repro(record);
  report_.findings[index] = std::move(record);
  minimal_[index] = std::move(smallest);
  return true;
}

void Recorder::suspect(const Problem& problem, const Property& property, const Finding& finding,
                       const Terms& terms, std::string_view stratum, std::int64_t after) {
  constexpr std::size_t most = 20;  // Shown; all are counted.
  if (report_.suspects.size() >= most) return;
  FindingRecord record = describe(problem, property, finding, terms, stratum, after);
  record.saved = save(problem, record, terms, true);
  // Only where it was drawn is it known that V is random: a replay of the case says nothing.
  record.repro = options_.command.empty()
                     ? repro_line(record.case_text, record.saved, property.name, report_.candidate,
                                  options_.repro_flags)
                     : campaign_line(record.finding.property);
  report_.suspects.push_back(std::move(record));
}

}  // namespace qkvet
