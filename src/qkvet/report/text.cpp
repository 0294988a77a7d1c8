// The report that a person reads: one line per property, then a block per finding.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <qkvet/report/wrap.hpp>
#include <qkvet/report/writers.hpp>
#include <set>

namespace qkvet {
namespace {

std::string share(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f}%", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string join(const std::vector<std::string>& items, std::string_view separator) {
  return fmt::format("{}", fmt::join(items, separator));
}

/// A number of the table: what cannot be measured is a dash.
std::string ratio_text(double ratio) {
  if (std::isnan(ratio)) return "?";
  if (!(ratio > 0)) return "-";
  return fmt::format("{:.3g}", ratio);
}

constexpr std::string_view not_declared =
    "not declared, so at their loosest: a file given to --contract sets them (docs/contract.md)";

std::string contract_line(const ContractUse& use) {
  std::string line = fmt::format(" contract   {}: {}/{} ({})\n", use.format, use.name, use.version,
                                 use.assumed ? "assumed: none was declared" : "from " + use.source);
  if (!use.assumed_fields.empty()) {
    line += fmt::format("            {} fields are {}\n", use.assumed_fields.size(), not_declared);
  }
  return line;
}

std::string property_line(const PropertyResult& result) {
  std::string line =
      fmt::format(" {:<26} {:>6} {:>6} {:>5} {:>8} {:>8} {:>8} {:>10}  {:>9}", result.name,
                  result.accepted(), result.pass, result.fail, result.suspect, result.refused,
                  result.vacuous, result.undecided, ratio_text(result.worst));
  if (result.fail > 0) {
    line += "  <--";
  } else if (result.not_run()) {
    line += "  not run";
  } else if (result.not_tested()) {
    line += "  not tested: " + printable(result.last_refusal);
  } else if (result.accepted() == 0) {
    line += "  does not apply: " + printable(result.last_refusal);
  }
  if (!result.stopped.empty()) line += fmt::format("  ({})", result.stopped);
  return line + "\n";
}

/// A candidate that refuses much passes little: both are said.
std::string refused_lines(const Report& report) {
  const Refusals all = refusals_of(report);
  if (all.refused == 0) return "";
  std::string reason = printable(all.most_often);
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  constexpr std::size_t most = 100;
  if (reason.size() > most) reason = printable(reason.substr(0, most)) + "...";
  std::string text =
      fmt::format(" refused    {} of {} draws; most often: {}\n", all.refused, all.draws, reason);
  if (all.refused * 2 > all.draws) {
    text += fmt::format(" weak       the candidate refused {} of the draws\n",
                        share(all.refused, all.draws));
  }
  return text;
}

std::string element_lines(const Report& report) {
  const Tally tally = total_tally(report);
  const std::int64_t all = tally.total();
  std::string text =
      fmt::format(" elements   {}: checked {}, hull of V {}, exact {}, exempt {}, uncheckable {}\n",
                  all, share(tally.checked, all), share(tally.hull, all), share(tally.exact, all),
                  share(tally.exempt, all), share(tally.uncheckable, all));
  if (const Unbounded open = unbounded_of(report); open.elements > 0) {
    text += fmt::format(" vacuous    {} of {} elements: the contract gives no finite bound there\n",
                        share(open.elements, open.of), open.of);
    if (open.mostly()) {
      text += " weak       most elements are vacuous: this contract promises next to nothing here\n";
    }
  }
  for (const StratumResult& stratum : report.strata) {
    const std::int64_t open = stratum.tally.exempt + stratum.tally.uncheckable;
    if (open * 10 >
        stratum.tally.total() * 6) {  // The share that a stratum is asked to stay below.
      text += fmt::format(" weak       stratum {}: {} of its elements are exempt or uncheckable\n",
                          stratum.name, share(open, stratum.tally.total()));
    }
  }
  const std::int64_t accepted = total_result(report).accepted();
  text += fmt::format(" shapes     {} cases: S > 64 in {}, S >= 512 in {}; {} from the corpus\n",
                      accepted, share(report.across_tile, accepted),
                      share(report.long_keys, accepted), report.corpus_cases);
  return text;
}

std::string feature_lines(const Report& report) {
  std::vector<std::string> items;
  for (const FeatureCount& feature : report.features) {
    items.push_back(feature.refused == 0 ? fmt::format("{} {}", feature.name, feature.accepted)
                                         : fmt::format("{} {} (refused {})", feature.name,
                                                       feature.accepted, feature.refused));
    items.back() += ',';
  }
  if (items.empty()) return "";
  items.back().pop_back();
  return wrapped(" features  ", items, "            ");
}

/// Beside our verdict, what the usual acceptance rules say of the same outputs.
std::string criteria_lines(const Report& report) {
  if (report.criteria.empty()) return "";
  const auto number = [](double x) {
    return std::isnan(x) ? std::string("nan") : fmt::format("{:.3g}", x);
  };
  std::string text = fmt::format(" {:<26} {:>6} {:>6} {:>5} {:>8} {:>8} {:>8} {:>10}  {:>9}\n",
                                 "criterion", "cases", "pass", "FAIL", "absent", "missed", "alarms",
                                 "worst", "limit");
  for (const CriterionCount& count : report.criteria) {
    text += fmt::format(" {:<26} {:>6} {:>6} {:>5} {:>8} {:>8} {:>8} {:>10}  {:>9}{}\n",
                        count.name, count.cases(), count.pass, count.fail, count.absent,
                        count.missed, count.alarms, number(count.value), number(count.limit),
                        count.name == report.gate ? "  <-- decides the exit code" : "");
  }
  return text +
         "            missed: passed though an output lies outside what the contract admits;\n"
         "            alarms: failed though every output is admitted (docs/criteria.md)\n";
}

std::string place_lines(const Finding& finding) {
  const Place& place = finding.allowed;
  std::string text = fmt::format(" where    {} = {}\n", describe_place(finding.place), finding.got);
  if (std::isfinite(place.exact.lo) && std::isfinite(place.exact.hi)) {
    text += fmt::format("          exact value in [{}, {}]\n", place.exact.lo, place.exact.hi);
  }
  text += fmt::format("          allowed {}", describe_allowed(place));
  if (place.radius > 0 && std::isfinite(place.radius)) {
    text += fmt::format(", bound +-{:.3g}", place.radius);
  }
  if (finding.excess > 0 && std::isfinite(finding.excess)) {
    text += fmt::format(", error {:.4g} times the bound", finding.excess);
  }
  return text + "\n";
}

std::string verdict_line(const Report& report) {
  const PropertyResult total = total_result(report);
  const ExitCode code = exit_code(report);
  std::string_view words = "holds";
  if (fails(report)) {
    words = "FAIL";
  } else if (code == ExitCode::nothing_tested) {
    words = "not tested";
  } else if (code == ExitCode::inconclusive) {
    words = "inconclusive";
  } else if (code != ExitCode::holds) {
    words = "no failure, but with errors";
  }
  const CriterionCount* gate = gate_of(report);
  const std::string by =
      gate == nullptr ? ""
                      : fmt::format(" by {} ({} of {} cases fail it); ours", gate->name, gate->fail,
                                    gate->pass + gate->fail);
  return fmt::format("{}{}{}: {} cases, {} failed, {} suspect, {} undecided; seed {}\n",
                     report.interrupted ? "interrupted; so far " : "verdict  ", words, by,
                     total.accepted(), total.fail, total.suspect, total.undecided, report.seed);
}

}  // namespace

std::string describe_place(const PlaceIndex& place) {
  if (place.c < 0) return fmt::format("lse[{},{},{}]", place.b, place.h, place.i);
  return fmt::format("o[{},{},{},{}]", place.b, place.h, place.i, place.c);
}

std::string describe_allowed(const Place& place) {
  if (place.anything) return "any value";
  std::vector<std::string> parts;
  if (place.allowed.lo <= place.allowed.hi) {
    parts.push_back(fmt::format("[{}, {}]", place.allowed.lo, place.allowed.hi));
  }
  if (place.zero && !place.allowed.contains(0)) parts.push_back("0");
  if (place.nan) parts.push_back("NaN");
  if (place.plus_inf) parts.push_back("+inf");
  if (place.minus_inf) parts.push_back("-inf");
  return parts.empty() ? "nothing" : join(parts, " or ");
}

bool about_a_place(const Finding& finding) {
  static constexpr std::array of_calls{
      "crash",           "timeout",       "failed",      "unwritten",
      "out-of-bounds",   "input-changed", "environment", "depends-on-output-memory",
      "nondeterministic"};
  return std::find(of_calls.begin(), of_calls.end(), finding.label) == of_calls.end();
}

std::string write_finding(const FindingRecord& record, std::string_view word) {
  const Finding& finding = record.finding;
  std::string text = fmt::format("{} {} after {} cases, {} shrinks, seen {} times\n", word,
                                 finding.property, record.after, record.steps, record.seen);
  text += fmt::format(" what     {}: {}\n", finding.label, printable(finding.message));
  if (!finding.run.empty()) text += fmt::format(" run      {}\n", finding.run);
  if (about_a_place(finding)) text += place_lines(finding);
  text += fmt::format(" shape    {}\n", record.shape);
  if (!record.rule.empty()) text += fmt::format(" rule     {}\n", record.rule);
  if (record.exhausted) text += " minimal  perhaps not: the minimiser's budget ended first\n";
  text += fmt::format(" stratum  {}\n", record.stratum);
  text += fmt::format(" contract {}\n", record.contract);
  if (!record.bound_terms.empty()) {
    text += fmt::format(" bound    {}\n", join(record.bound_terms, ", "));
  }
  if (!record.also.empty()) text += fmt::format(" also     {}\n", record.also);
  if (!record.assumed_fields.empty()) {
    text += fmt::format(" assumed  fields {}\n{}", not_declared,
                        assumed_lines(record.assumed_fields, "          "));
  }
  if (record.reproduced < record.tries) {
    text +=
        fmt::format(" flaky    seen again in {} of {} tries\n", record.reproduced, record.tries);
  }
  if (record.state_dependent) {
    text +=
        " state    state-dependent: fails only after earlier calls, not in a fresh process; the line\n"
        "          below makes those of this property again (without its --prop: all of them)\n";
  }
  if (!record.saved.empty()) text += fmt::format(" saved    {}\n", printable(record.saved));
  return text + fmt::format(" repro    {}\n", record.repro);
}

namespace {

/// The fields that a contract left open are listed with its first finding, not with each.
std::string write_findings(const Report& report) {
  std::string text;
  std::set<std::string> listed;
  const auto add = [&](FindingRecord record, std::string_view word) {
    if (!listed.insert(record.contract).second) record.assumed_fields.clear();
    text += write_finding(record, word);
  };
  for (const FindingRecord& record : report.findings) add(record, "FAIL");
  for (const FindingRecord& record : report.suspects) add(record, "suspect");
  return text;
}

}  // namespace

std::string write_text(const Report& report) {
  std::string text = printable(report.command) + "\n";
  text += fmt::format(" candidate  {} at isolation {}; profile {}, seed {}, qkvet {}\n",
                      printable(report.candidate), report.isolation, report.profile, report.seed,
                      version());
  for (const ContractUse& use : report.contracts) text += contract_line(use);
  text += fmt::format(" {:<26} {:>6} {:>6} {:>5} {:>8} {:>8} {:>8} {:>10}  {:>9}\n", "property",
                      "cases", "pass", "FAIL", "suspect", "refused", "vacuous", "undecided",
                      "err/bound");
  for (const PropertyResult& result : report.properties) text += property_line(result);
  text += refused_lines(report) + element_lines(report) + feature_lines(report) +
          report.search + criteria_lines(report);
  text += write_findings(report);
  for (const Trouble& trouble : report.troubles)
    text += "error: " + printable(trouble.message) + "\n";
  return text + verdict_line(report);
}

}  // namespace qkvet
