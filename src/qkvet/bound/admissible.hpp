// The set of outputs that a contract admits, per place: the one type where error bound, enclosure, NaN
// policy and overflow policy meet.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <qkvet/contract/contract.hpp>
#include <qkvet/num/interval.hpp>
#include <qkvet/oracle/oracle.hpp>
#include <qkvet/problem/problem.hpp>

namespace qkvet {

enum class PlaceKind : std::uint8_t {
  checked,      ///< finite interval: exact +- radius
  hull,         ///< the bound is as wide as V's range: only the hull of V decides
  exact,        ///< due by convention (empty row, due NaN): the set is exact
  exempt,       ///< the contract leaves it open: written with 0, NaN, an input's infinity, or in the hull
  uncheckable,  ///< the contract permits overflow here: anything written
};

/// What one output element (or LSE) may be.
struct Place {
  PlaceKind kind = PlaceKind::checked;
  Interval exact;         ///< encloses the exact value (checked, hull); unlimited otherwise
  double radius = 0;      ///< DET, rounded up: |got - exact value| <= radius
  Interval allowed;       ///< the finite values admitted
  bool nan = false, plus_inf = false, minus_inf = false, zero = false;  ///< admitted besides
  bool anything = false;  ///< uncheckable: every encoding

  /// True if `got` (an exact double, possibly NaN or infinite) is admitted. Accepts on a true <= only.
  [[nodiscard]] bool contains(double got) const;
  /// |got - exact| / radius, an upper bound; 0 where there is nothing to measure, infinity if outside.
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

/// Radius of an output whose V column is the constant 1 with `n` visible keys of `S`, without an oracle
/// (relations.md, rows-sum-to-one): nu + mu + eps_div and underflow; scores and exp cancel.
[[nodiscard]] double constant_radius(const Arithmetic& arithmetic, const Shape& shape, std::int64_t n,
                                     double magnitude);

/// One named term of a bound and its share, for `qkvet explain`.
struct Term {
  std::string name, section;
  double value = 0;
};
[[nodiscard]] std::vector<Term> explain_bound(const Problem& problem, const Contract& contract,
                                              const RowEnclosure& row, std::int64_t column);

}  // namespace qkvet
