// What each rule makes of each mutant and of each honest kernel on the same cases.
#pragma once

#include <array>
#include <cstdint>
#include <qkvet/problem/problem.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace detection {

/// The rules, in the order of the table. `any`: nothing is declared; `own`: the structure is. Each
/// of the three adds to the one before it: outputs, LSEs, a second run with probe values; `usual`
/// are those of test suites. `seldom` is SUSPECT (never a FAIL) at first sight, or +LSE.
enum class Rule : std::uint8_t {
  any_o,
  any_lse,
  any_probe,
  any_seldom,
  own_o,
  own_lse,
  own_probe,
  own_seldom,
  assert_close,
  allclose,
};
inline constexpr std::size_t rules = 10;
inline constexpr std::array<std::string_view, rules> rule_names{
    "any: DET", "+LSE",   "+probe",  "SUSPECT",        "declared: DET",
    "+LSE",     "+probe", "SUSPECT", "`assert_close`", "`allclose(1e-2)`"};

struct Result {
  std::string name;
  std::int64_t cases = 0;  ///< of mutants: the material ones
  std::array<std::int64_t, rules> hits{};
};

struct Measured {
  std::vector<Result> mutants;
  std::vector<Result> honest;  ///< hits are false alarms
  std::int64_t cases = 0;
};

/// `cases` of `seed`, one format. A mutant is material in a case if some output errs more than 4
/// times the largest error of all honest kernels there, and than 4 half units of the output.
[[nodiscard]] Measured measure(qkvet::Format format, std::uint64_t seed, std::int64_t cases,
                               std::int64_t most_keys = 1024);

/// Mean over mutants with at least five material cases, of the share that a rule rejects.
[[nodiscard]] double mean_detection(const Measured& measured, Rule rule);

/// The two tables as Markdown.
[[nodiscard]] std::string tables(const Measured& measured, qkvet::Format format);

}  // namespace detection
