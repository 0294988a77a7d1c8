// Verdicts as words and counts: what reports and the minimiser read off them.
#include <cmath>
#include <qkvet/check/verdict.hpp>

namespace qkvet {
namespace {

std::string_view class_of(double got) {
  return std::isnan(got) ? "nan" : std::isinf(got) ? (got > 0 ? "+inf" : "-inf") : "finite";
}

std::string_view word(PlaceKind kind) {
  switch (kind) {
    case PlaceKind::checked:
      return "checked";
    case PlaceKind::hull:
      return "hull";
    case PlaceKind::exact:
      return "exact";
    case PlaceKind::exempt:
      return "exempt";
    case PlaceKind::uncheckable:
      break;
  }
  return "uncheckable";
}

bool is_digit(char c) { return '0' <= c && c <= '9'; }

/// The role of a run without its numbers: "row 9 over its own keys" and the same of row 2 are one.
std::string without_numbers(std::string_view role) {
  std::string words;
  for (std::size_t n = 0; n < role.size(); ++n) {
    const bool sign = role[n] == '-' && n + 1 < role.size() && is_digit(role[n + 1]);
    if (!sign && !is_digit(role[n])) {
      words += role[n];
      continue;
    }
    words += '#';
    const auto inside = [&](std::size_t at) {
      return at < role.size() && (is_digit(role[at]) ||
                                  (role[at] == '.' && at + 1 < role.size() && is_digit(role[at + 1])));
    };
    while (inside(n + 1)) ++n;
  }
  return words;
}

}  // namespace

void Tally::add(PlaceKind kind) {
  switch (kind) {
    case PlaceKind::checked:
      ++checked;
      return;
    case PlaceKind::hull:
      ++hull;
      return;
    case PlaceKind::exact:
      ++exact;
      return;
    case PlaceKind::exempt:
      ++exempt;
      return;
    case PlaceKind::uncheckable:
      ++uncheckable;
      return;
  }
}

void Tally::add(const Place& place) {
  add(place.kind);
  vacuous += place.vacuous ? 1 : 0;
}

Tally& Tally::operator+=(const Tally& other) {
  checked += other.checked;
  hull += other.hull;
  exact += other.exact;
  exempt += other.exempt;
  uncheckable += other.uncheckable;
  vacuous += other.vacuous;
  return *this;
}

std::string Finding::signature() const {
  std::string out = property;
  const auto part = [&out](std::string_view text) { out.append("|").append(text); };
  part(label);
  part(without_numbers(run));
  part(class_of(got));
  part(word(allowed.kind));
  return out;
}

std::string Finding::outcome() const {
  std::string out = label;
  for (const std::string_view text : {class_of(got), word(allowed.kind)}) out.append(" ").append(text);
  return out;
}

std::string_view word(const Verdict& verdict) {
  constexpr std::string_view words[] = {"pass",    "FAIL",    "suspect",
                                        "refused", "vacuous", "undecided"};
  return words[verdict.index()];
}

const Finding* finding_of(const Verdict& verdict) {
  if (const auto* fail = std::get_if<Fail>(&verdict)) return &fail->finding;
  if (const auto* suspect = std::get_if<Suspect>(&verdict)) return &suspect->finding;
  return nullptr;
}

Tally tally_of(const Verdict& verdict) {
  return std::visit(
      [](const auto& outcome) -> Tally {
        if constexpr (requires { outcome.tally; }) {
          return outcome.tally;
        } else {
          return {};
        }
      },
      verdict);
}

}  // namespace qkvet
