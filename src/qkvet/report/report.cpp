// Sums over a Report and its exit code: the same for every writer.
#include <algorithm>
#include <array>
#include <qkvet/report/report.hpp>

namespace qkvet {

std::string_view version() { return QKVET_VERSION; }

void PropertyResult::refuse(const std::string& reason) {
  constexpr std::size_t most = 64;  // A candidate may word each refusal anew.
  ++refused;
  last_refusal = reason;
  if (reasons.size() < most || reasons.contains(reason)) ++reasons[reason];
}

Refusals refusals_of(const Report& report) {
  Refusals all;
  std::map<std::string, std::int64_t> reasons;
  for (const PropertyResult& property : report.properties) {
    all.refused += property.refused;
    all.draws += property.accepted() + property.refused + property.vacuous;
    for (const auto& [reason, times] : property.reasons) reasons[reason] += times;
  }
  for (const auto& [reason, times] : reasons) {
    if (times <= all.most_often_count) continue;
    all.most_often_count = times;
    all.most_often = reason;
  }
  return all;
}

PropertyResult total_result(const Report& report) {
  PropertyResult total;
  for (const PropertyResult& property : report.properties) {
    total.pass += property.pass;
    total.fail += property.fail;
    total.suspect += property.suspect;
    total.undecided += property.undecided;
    total.refused += property.refused;
    total.vacuous += property.vacuous;
    total.not_applying += property.not_applying;
    total.worst = std::max(total.worst, property.worst);
    total.tally += property.tally;
  }
  return total;
}

Tally total_tally(const Report& report) { return total_result(report).tally; }

Unbounded unbounded_of(const Report& report) {
  Tally all = total_tally(report);
  all += report.set_aside;
  return {all.vacuous, all.total()};
}

ExitCode prevailing(ExitCode a, ExitCode b) {
  using enum ExitCode;
  static constexpr std::array order{
      internal,       io_error,     cannot_create, isolation, candidate_unusable,
      missing_input,  bad_data,     usage,         fail,      unexpected_pass,
      nothing_tested, inconclusive, stopped,       holds};
  const auto rank = [](ExitCode code) { return std::find(order.begin(), order.end(), code); };
  return rank(a) < rank(b) ? a : b;
}

const CriterionCount* gate_of(const Report& report) {
  for (const CriterionCount& count : report.criteria) {
    if (count.name == report.gate) return &count;
  }
  return nullptr;
}

bool fails(const Report& report) {
  if (report.gate.empty()) return total_result(report).fail > 0;
  const CriterionCount* gate = gate_of(report);
  return (gate != nullptr ? gate->fail : 0) + report.call_failures > 0;
}

ExitCode exit_code(const Report& report) {
  ExitCode code = ExitCode::holds;
  for (const Trouble& trouble : report.troubles) code = prevailing(code, trouble.code);
  for (const PropertyResult& property : report.properties) {
    if (property.not_tested()) code = prevailing(code, ExitCode::nothing_tested);
  }
  if (fails(report)) code = prevailing(code, ExitCode::fail);
  const PropertyResult total = total_result(report);
  if (total.accepted() == 0) code = prevailing(code, ExitCode::nothing_tested);
  const CriterionCount* gate = gate_of(report);
  const bool ruled = gate != nullptr && gate->pass + gate->fail > 0;
  if (!report.gate.empty() && !ruled) code = prevailing(code, ExitCode::nothing_tested);
  const std::int64_t open = total.suspect + total.undecided;
  const bool only_open = open > 0 && total.pass + total.fail == 0;
  const bool vacuous = unbounded_of(report).mostly();
  if (only_open || vacuous || (report.strict && open > 0)) code = prevailing(code, ExitCode::inconclusive);
  return code;
}

}  // namespace qkvet
