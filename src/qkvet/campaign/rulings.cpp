#include <fmt/format.h>

#include <cmath>
#include <qkvet/campaign/rulings.hpp>
#include <qkvet/check/comparison.hpp>

namespace qkvet {
namespace {

/// True if `a` is nearer to its limit than `b` to its own, or farther beyond; NaN is beyond all.
bool is_worse(const Ruling& a, const CriterionCount& b) {
  if (std::isnan(a.value)) return true;
  return !std::isnan(b.value) && a.value * b.limit > b.value * a.limit;
}

void add(CriterionCount& count, const Ruling& ruling, Ruling::Word own) {
  using Word = Ruling::Word;
  count.pass += ruling.word == Word::pass ? 1 : 0;
  count.fail += ruling.word == Word::fail ? 1 : 0;
  count.absent += ruling.word == Word::absent ? 1 : 0;
  count.missed += ruling.word == Word::pass && own == Word::fail ? 1 : 0;
  count.alarms += ruling.word == Word::fail && own == Word::pass ? 1 : 0;
  if (ruling.word == Word::absent) return;
  if (count.pass + count.fail > 1 && !is_worse(ruling, count)) return;
  count.value = ruling.value;
  count.limit = ruling.limit;
}

}  // namespace

std::vector<Ruling> rulings_on(const Exhibit& exhibit, Candidate* twin) {
  Observation plain;
  plain.status = RunStatus::refused;
  if (twin != nullptr) {
    const Format out = exhibit.observation.outputs.o.format;
    plain = twin->run(exhibit.run->problem, {out, exhibit.observation.outputs.lse_format});
  }
  const bool usable = plain.status == RunStatus::ok && plain.faults.empty();
  const Comparison comparison = compare_with_exact(exhibit, usable ? &plain.outputs : nullptr);
  std::vector<Ruling> rulings;
  for (const Criterion& criterion : criteria()) rulings.push_back(criterion.rule(comparison));
  return rulings;
}

void count_rulings(Report& report, const Exhibit& exhibit, Candidate* twin) {
  if (report.criteria.empty()) {
    for (const Criterion& one : criteria()) report.criteria.emplace_back().name = one.name;
  }
  const std::vector<Ruling> rulings = rulings_on(exhibit, twin);
  for (std::size_t n = 0; n < rulings.size(); ++n) {
    add(report.criteria[n], rulings[n], rulings.front().word);
  }
}

std::string rulings_line(const std::vector<Ruling>& rulings) {
  std::string text;
  for (std::size_t n = 1; n < rulings.size(); ++n) {
    text += fmt::format("{}{} {}", n > 1 ? ", " : "", criteria()[n].name, word(rulings[n].word));
  }
  return text;
}

std::string describe_rulings(const std::vector<Ruling>& rulings) {
  std::string text =
      fmt::format(" {:<16} {:<7} {:>10} {:>10}  rule\n", "criterion", "says", "value", "limit");
  for (std::size_t n = 0; n < rulings.size(); ++n) {
    const Ruling& ruling = rulings[n];
    const bool absent = ruling.word == Ruling::Word::absent;
    const auto number = [&](double x) -> std::string {
      return absent ? "-" : std::isnan(x) ? "nan" : fmt::format("{:.3g}", x);
    };
    text += fmt::format(" {:<16} {:<7} {:>10} {:>10}  {}\n", criteria()[n].name, word(ruling.word),
                        number(ruling.value), number(ruling.limit), criteria()[n].statement);
  }
  return text;
}

}  // namespace qkvet
