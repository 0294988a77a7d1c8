// What each rule makes of each mutant and of each honest kernel on the same cases.
#pragma once

#include <array>
#include <cstdint>
#include <qkvet/problem/problem.hpp>
#include <string>
#include <vector>

namespace detection {

/// How much a contract declares. Each admits less than the one before it.
enum class Declared : std::uint8_t {
  nothing,     ///< FORMAT-any
  arithmetic,  ///< all but the order of sums: any tile, any lanes
  structure,   ///< tile and lanes too
};
inline constexpr std::size_t contracts = 3;

/// What is looked at; each adds to the one before it, but `seldom` (SUSPECT at first sight, never a
/// FAIL) to `lse`.
enum class Look : std::uint8_t { outputs, lse, probe, seldom };
inline constexpr std::size_t looks = 4;

/// The rules: every look under every contract, then the usual ones of test suites.
inline constexpr std::size_t assert_close = contracts * looks;
inline constexpr std::size_t allclose = assert_close + 1;
inline constexpr std::size_t fa2x = allclose + 1;
inline constexpr std::size_t rules = fa2x + 1;
[[nodiscard]] constexpr std::size_t rule_of(Declared declared, Look look) {
  return static_cast<std::size_t>(declared) * looks + static_cast<std::size_t>(look);
}

struct Result {
  std::string name;
  Declared most = Declared::structure;  ///< contracts up to this one are its own
  bool listed = true;      ///< on the list that the goals are means over
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
/// `listed`: over those of the list alone.
[[nodiscard]] double mean_detection(const Measured& measured, std::size_t rule, bool listed);

/// The table as Markdown.
[[nodiscard]] std::string tables(const Measured& measured, qkvet::Format format);

}  // namespace detection
