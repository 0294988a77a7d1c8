// Exact rewrites of problems that relations are made of: entries, heads, rows and keys taken,
// repeated or put in, and masks in another form. Whatever speaks of the diagonal is fixed first
// (relations.md, rules 5 and 6).
#pragma once

#include <cstdint>
#include <functional>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/problem.hpp>
#include <vector>

namespace qkvet {

using Indices = std::vector<std::int64_t>;

/// from, from + 1, ..., from + count - 1.
[[nodiscard]] Indices indices(std::int64_t from, std::int64_t count);

/// The elements of `tensor` whose index along `axis` is taken from `indices`, in that order.
void take(Tensor& tensor, std::size_t axis, const Indices& indices);

/// The same for boolean mask and bias, where an extent of 1 broadcasts and stays; `extent` is that
/// of the problem along the axis.
void take_masks(Problem& problem, std::size_t axis, std::int64_t extent, const Indices& indices);

/// True if some part measures from the diagonal.
[[nodiscard]] bool diagonal_matters(const Problem& problem);

/// The problem with its diagonals fixed if any part measures from one, else as it is.
[[nodiscard]] Problem fixed(const Problem& problem);

/// Batch entries in the order given; repeats are copies. Diagonals are fixed first.
[[nodiscard]] Problem take_entries(const Problem& problem, const Indices& entries);

/// Query heads and key heads in the order given, sinks and slopes carried along. Requires that new
/// query head h still reads the key head it read: the caller's business.
[[nodiscard]] Problem take_heads(const Problem& problem, const Indices& query_heads,
                                 const Indices& key_heads);

/// Rows in the order given: exact only where no part measures from the diagonal.
[[nodiscard]] Problem take_rows(const Problem& problem, const Indices& rows);

/// Keys [from, from + count): diagonal and key range move along.
[[nodiscard]] Problem cut_keys(const Problem& problem, std::int64_t from, std::int64_t count);

/// `count` keys before key `at` whose k and v are arbitrary moderate numbers. In front and behind
/// (at = 0, at = S) diagonal and key range move along; anywhere else the keys must be explicit.
/// The new keys are hidden only by a key range that the problem has already.
[[nodiscard]] Problem insert_keys(const Problem& problem, std::int64_t at, std::int64_t count,
                                  Choices& choices);

/// Along which axes a mask must be given in full; the others keep the extent that they have.
struct MaskAxes {
  bool b = false, h = false, i = true, j = true;
};

/// The boolean mask becomes its AND with `shows(b, h, i, j)`.
void and_mask(
    Problem& problem, const MaskAxes& axes,
    const std::function<bool(std::int64_t, std::int64_t, std::int64_t, std::int64_t)>& shows);

/// The bias with all four extents of the problem, zeros if there was none; its format stays.
void expand_bias(Problem& problem);

/// True if x is a number of the format.
[[nodiscard]] bool is_exact(Format format, double x);

/// Every finite element rounded to the grid of relations.md rule 7: sums of two are exact.
void to_sum_grid(Tensor& tensor);

/// An arbitrary number of that grid.
[[nodiscard]] double on_sum_grid(Format format, Choices& choices);

/// True if no element of q, k and v is NaN or infinite.
[[nodiscard]] bool has_finite_values(const Tensor& tensor);
[[nodiscard]] bool has_finite_inputs(const Problem& problem);

/// The scale written out as the double that it is, for problems that change d_k or scale it.
[[nodiscard]] Problem with_explicit_scale(const Problem& problem);

/// An upper estimate, in plain double, of |score| over all keys, hidden ones too, and the sinks;
/// infinite where an input is not finite (a bias or sink of -inf does not count).
[[nodiscard]] double rough_score_size(const Problem& problem);

}  // namespace qkvet
