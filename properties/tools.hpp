// What several properties share: reading masks as the contract means them, exact rewrites of
// problems, and the limits check of a whole plan.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <qkvet/check/ledger.hpp>
#include <qkvet/check/property.hpp>
#include <qkvet/problem/draw.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace qkvet {

/// Wrong answers that every property's plan must reject, by itself or with a control.
inline constexpr Impostor every_impostor[] = {Impostor::zeros, Impostor::mean_v, Impostor::first_v,
                                              Impostor::unmasked, Impostor::sign_flip};

/// Choices whose seed comes from a property's name only: a plan is the same wherever it is made.
[[nodiscard]] Choices choices_of(std::string_view property);

/// Absent if every planned problem lies inside the contract's limits.
[[nodiscard]] std::optional<std::string> outside_limits(const Plan& plan, const Contract& contract);

/// Is key j admitted in row (b, h, i)? A bias of -inf hides, except under bias-then-cap with a cap.
[[nodiscard]] bool sees(const Problem& problem, const Contract& contract, std::int64_t b,
                        std::int64_t h, std::int64_t i, std::int64_t j);
[[nodiscard]] std::int64_t count_seen(const Problem& problem, const Contract& contract,
                                      std::int64_t b, std::int64_t h, std::int64_t i);

/// Calls `visit(b, h, i)` for every row.
void for_rows(const Shape& shape,
              const std::function<void(std::int64_t, std::int64_t, std::int64_t)>& visit);

/// V := value(b, kv head, j, d), rounded once to the format; its layout becomes contiguous.
void set_values(
    Problem& problem,
    const std::function<double(std::int64_t, std::int64_t, std::int64_t, std::int64_t)>& value);

/// Rows [from, from + count) of every head; the diagonal fixed first (relations.md rule 5).
[[nodiscard]] Problem slice_rows(const Problem& problem, std::int64_t from, std::int64_t count);

/// Causal, window and key range as one boolean mask, ALiBi as a bias in the problem's format: after
/// this every key carries its own mask and may be moved. Unchanged if none of them is used.
[[nodiscard]] Problem with_explicit_keys(const Problem& problem);

/// Keys, values, mask and bias columns reordered: new key j is old key order[j]. Requires explicit
/// keys.
[[nodiscard]] Problem permute_keys(const Problem& problem, const std::vector<std::int64_t>& order);

/// A permutation of 0..n-1 without fixed meaning, never the identity for n >= 2.
[[nodiscard]] std::vector<std::int64_t> permutation(Choices& choices, std::int64_t n);

/// Judges `own` on every exhibit.
void own_everywhere(Ledger& ledger, std::span<const Exhibit> exhibits);

/// The judge `free` for an output that lies in `exact` but for the roundings of sums and division:
/// the errors of scores cancel (docs/bounds.md 5.3). `n` counts the visible keys and the sink,
/// `magnitude` bounds |V|, `scores` is the row's score_size. Where the contract promises no such
/// radius only the oracle's enclosure is asked.
void judge_constant(Ledger& ledger, const Spot& spot, const Interval& exact, std::int64_t n,
                    double magnitude, double scores, std::string_view why);

/// `free` for every output of the exhibit: it lies in the hull of the values that its row sees (with
/// 0 if it has a sink), but for the roundings of sums and division. Scores are not in that radius.
void judge_hull(Ledger& ledger, const Exhibit& exhibit);

/// Absent if some row with a visible key has a hidden one, else why a property of hidden keys does
/// not apply.
[[nodiscard]] std::optional<std::string> hides_nothing(const Problem& problem,
                                                       const Contract& contract);

}  // namespace qkvet
