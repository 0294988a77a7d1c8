// The report for programs: the only source that knows the JSON library.
#include <cmath>
#include <nlohmann/json.hpp>
#include <qkvet/report/writers.hpp>

namespace qkvet {
namespace {

using Json = nlohmann::ordered_json;

/// JSON has no NaN and no infinity, and the library would write null.
Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

Json interval(const Interval& value) { return Json::array({number(value.lo), number(value.hi)}); }

Json tally(const Tally& counts) {
  return {{"checked", counts.checked},
          {"hull", counts.hull},
          {"exact", counts.exact},
          {"exempt", counts.exempt},
          {"uncheckable", counts.uncheckable},
          {"vacuous", counts.vacuous}};
}

Json property(const PropertyResult& result) {
  return {{"name", result.name},
          {"cases", result.accepted()},
          {"pass", result.pass},
          {"fail", result.fail},
          {"suspect", result.suspect},
          {"undecided", result.undecided},
          {"refused", result.refused},
          {"vacuous", result.vacuous},
          {"not_applying", result.not_applying},
          {"worst_ratio", number(result.worst)},
          {"elements", tally(result.tally)},
          {"not_tested", result.not_tested()},
          {"stopped", result.stopped}};
}

Json finding(const FindingRecord& record) {
  const Finding& found = record.finding;
  const Place& place = found.allowed;
  return {{"property", found.property},
          {"label", found.label},
          {"run", found.run},
          {"signature", found.signature()},
          {"place", describe_place(found.place)},
          {"got", number(found.got)},
          {"got_bits", found.got_bits},
          {"exact", interval(place.exact)},
          {"allowed", interval(place.allowed)},
          {"allowed_text", describe_allowed(place)},
          {"radius", number(place.radius)},
          {"excess", number(found.excess)},
          {"message", found.message},
          {"case", record.case_text},
          {"shape", record.shape},
          {"format", record.format},
          {"stratum", record.stratum},
          {"bound_terms", record.bound_terms},
          {"also", record.also},
          {"contract", record.contract},
          {"assumed", record.assumed_fields},
          {"after", record.after},
          {"seen", record.seen},
          {"shrinks", record.steps},
          {"calls", record.calls},
          {"exhausted", record.exhausted},
          {"rule", record.rule},
          {"key", record.key},
          {"reproduced", record.reproduced},
          {"tries", record.tries},
          {"state_dependent", record.state_dependent},
          {"saved", record.saved},
          {"repro", record.repro}};
}

template <typename Items, typename Writer>
Json list(const Items& items, Writer&& writer) {
  Json result = Json::array();
  for (const auto& item : items) result.push_back(writer(item));
  return result;
}

Json contract(const ContractUse& use) {
  return {{"format", use.format},
          {"name", use.name},
          {"version", use.version},
          {"digest", use.digest},
          {"source", use.source},
          {"assumed", use.assumed},
          {"assumed_fields", use.assumed_fields}};
}

Json stratum(const StratumResult& result) {
  return {{"name", result.name},
          {"cases", result.cases},
          {"refused", result.refused},
          {"vacuous", result.vacuous},
          {"elements", tally(result.tally)}};
}

Json criterion(const CriterionCount& count) {
  return {{"name", count.name},
          {"pass", count.pass},
          {"fail", count.fail},
          {"absent", count.absent},
          {"missed", count.missed},
          {"alarms", count.alarms},
          {"worst_value", number(count.value)},
          {"limit", number(count.limit)}};
}

Json refusals(const Report& report) {
  const Refusals all = refusals_of(report);
  return {{"refused", all.refused},
          {"draws", all.draws},
          {"most_often", all.most_often},
          {"most_often_count", all.most_often_count}};
}

}  // namespace

std::string write_json(const Report& report) {
  const auto feature = [](const FeatureCount& count) -> Json {
    return {{"name", count.name}, {"accepted", count.accepted}, {"refused", count.refused}};
  };
  const auto trouble = [](const Trouble& item) -> Json {
    return {{"code", static_cast<int>(item.code)}, {"message", item.message}};
  };
  const Json document = {{"qkvet", version()},
                         {"command", report.command},
                         {"candidate", report.candidate},
                         {"isolation", report.isolation},
                         {"profile", report.profile},
                         {"seed", report.seed},
                         {"exit_code", static_cast<int>(exit_code(report))},
                         {"interrupted", report.interrupted},
                         {"contracts", list(report.contracts, contract)},
                         {"properties", list(report.properties, property)},
                         {"refused", refusals(report)},
                         {"elements", tally(total_tally(report))},
                         {"elements_of_vacuous_cases", tally(report.set_aside)},
                         {"strata", list(report.strata, stratum)},
                         {"features", list(report.features, feature)},
                         {"corpus_cases", report.corpus_cases},
                         {"across_tile", report.across_tile},
                         {"long_keys", report.long_keys},
                         {"findings", list(report.findings, finding)},
                         {"suspects", list(report.suspects, finding)},
                         {"gate", report.gate.empty() ? "certified" : report.gate},
                         {"criteria", list(report.criteria, criterion)},
                         {"troubles", list(report.troubles, trouble)}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace qkvet
