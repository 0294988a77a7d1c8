// The acceptance rules that others use, beside our own verdict: docs/criteria.md has each one's
// definition, parameters and source. None of them is a proof; they are what a user's own test
// would have said of the same outputs.
#pragma once

#include <cstdint>
#include <optional>
#include <qkvet/num/format.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace qkvet {

/// What one criterion says of one comparison.
struct Ruling {
  enum class Word : std::uint8_t {
    pass,
    fail,
    absent,  ///< the rule cannot be evaluated: no twin ran, or its own code would raise
  };
  Word word = Word::absent;
  double value = 0, limit = 0;  ///< what was measured and what it may be at most; value may be NaN
};

/// The outputs O of one call beside what they should be. All vectors are of one length and leave
/// out the same places: those for which the contract defines no answer.
struct Comparison {
  Format format = Format::binary32;  ///< of the outputs
  std::vector<double> got;           ///< as stored
  std::vector<double> exact;         ///< the double nearest the exact value; NaN where a NaN is due
  std::vector<double> magnitude;     ///< sum_j p_j |V_jd|, rounded up
  std::vector<double> twin;  ///< of a plain implementation in the same format; empty: none ran
  std::int64_t keys = 0;     ///< S, masked keys included
  bool softcap = false;
  Ruling::Word own = Ruling::Word::absent;  ///< our verdict on the same call, O and LSE
  double worst = 0;                         ///< its largest error / bound
  std::int64_t left_out = 0;                ///< places of O that no criterion but ours sees

  /// The exact value as a tensor of the output's format would hold it.
  [[nodiscard]] double rounded(std::size_t n) const {
    return decode(format, encode(format, exact[n]));
  }
};

struct Criterion {
  std::string_view name;       ///< as on the command line
  std::string_view statement;  ///< the rule in one line
  std::string_view source;     ///< whose rule it is
  Ruling (*rule)(const Comparison&);
};

/// All of them; the first is ours, `certified`.
[[nodiscard]] std::span<const Criterion> criteria();
[[nodiscard]] const Criterion* criterion_named(std::string_view name);

/// "pass", "FAIL", "absent".
[[nodiscard]] std::string_view word(Ruling::Word word);

}  // namespace qkvet
