// The set of outputs that a contract admits, per place: the one type where error bound, enclosure,
// NaN policy and overflow policy meet.
#pragma once

#include <cstdint>
#include <limits>
#include <qkvet/contract/contract.hpp>
#include <qkvet/num/interval.hpp>
#include <qkvet/oracle/oracle.hpp>
#include <qkvet/problem/problem.hpp>
#include <string>
#include <vector>

namespace qkvet {

enum class PlaceKind : std::uint8_t {
  checked,  ///< finite interval: exact +- radius
  hull,     ///< the bound is as wide as V's range: only the hull of V decides
  exact,    ///< due by convention (empty row, due NaN): the set is exact
  exempt,   ///< the contract leaves it open: written with 0, NaN, an input's infinity, or in the
            ///< hull
  uncheckable,  ///< the contract permits overflow here: anything written
};

/// One of several sets that an open convention admits (the base of an LSE, its sink).
struct Alternative {
  Interval exact;
  double radius = 0;
  Interval allowed;
};

/// What one output element (or LSE) may be.
struct Place {
  PlaceKind kind = PlaceKind::checked;
  Interval exact;                 ///< encloses the exact value (checked, hull); unlimited otherwise
  double radius = 0;              ///< DET, rounded up: |got - exact value| <= radius
  Interval allowed;               ///< the finite values admitted; empty (lo > hi) if none is
  std::vector<Alternative> also;  ///< further sets, where the contract leaves a convention open
  bool nan = false, plus_inf = false, minus_inf = false, zero = false;  ///< admitted besides
  bool anything = false;  ///< uncheckable: every encoding
  bool vacuous = false;   ///< uncheckable because the contract gives no finite bound, not because
                          ///< it permits overflow: a sum of so many roundings promises nothing

  /// True if `got` (an exact double, possibly NaN or infinite) is admitted. Accepts on a true <=
  /// only.
  [[nodiscard]] bool contains(double got) const;
  /// |got - exact| / radius, rounded up (of the best alternative); 0 where there is nothing to
  /// measure, infinity if `got` is not finite or of a class that is not admitted.
  [[nodiscard]] double ratio(double got) const;
};

struct Admissible {
  std::vector<Place> o;    ///< [B,H_q,L,d_v]
  std::vector<Place> lse;  ///< [B,H_q,L]; empty if the problem does not ask for it
};

/// The admissible outputs of `problem` under `contract`, from the given rung's enclosures.
[[nodiscard]] Admissible admit(const Problem& problem, const Contract& contract, Rung rung);

/// The admissible places of one row: d_v outputs, then the LSE.
[[nodiscard]] std::vector<Place> admit_row(const Problem& problem, const Contract& contract,
                                           const RowEnclosure& row, std::int64_t b, std::int64_t h,
                                           std::int64_t i);

/// Radius of an output whose V column is the constant `magnitude` in a row with `n` visible keys
/// (the sink included), without an oracle (relations.md, rows-sum-to-one): nu + mu + eps_div and
/// underflow; scores and exp cancel. The same number bounds how far any output can leave the hull
/// of its V. `score_size` bounds every |score| of the row (see score_size): merges through the LSE
/// and fused shifts need it. Infinite where the contract cannot promise it.  docs/bounds.md 5.3
[[nodiscard]] double constant_radius(const Arithmetic& arithmetic, const Shape& shape,
                                     std::int64_t n, double magnitude,
                                     double score_size = std::numeric_limits<double>::infinity(),
                                     bool sink = false);

/// An upper bound of |score| over the visible keys and the sink of a row, from the inputs alone.
[[nodiscard]] double score_size(const Problem& problem, std::int64_t b, std::int64_t h,
                                std::int64_t i);

/// One named term of a bound, for `qkvet explain`: the values sum to the radius.
struct Term {
  std::string name, section;
  double value = 0;
};
[[nodiscard]] std::vector<Term> explain_bound(const Problem& problem, const Contract& contract,
                                              const RowEnclosure& row, std::int64_t column,
                                              std::int64_t b = 0, std::int64_t h = 0,
                                              std::int64_t i = 0);

}  // namespace qkvet
