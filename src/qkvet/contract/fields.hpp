// The one list of contract fields: each name as the text spells it, beside the member that it sets.
// Reader, writer and the list of assumed fields all walk it, so that they cannot disagree.
#pragma once

#include <limits>
#include <qkvet/contract/contract.hpp>
#include <string_view>

namespace qkvet::detail {

/// No value of a count is spelled "any".
inline constexpr int no_any = std::numeric_limits<int>::min();

/// Calls visit(name, member, meaning) for each switch of the semantics.
template <class S, class Visit>
void visit_semantics(S& s, Visit&& visit) {
  visit("empty_row", s.empty_row, "output of a row without a visible key and without a sink");
  visit("empty_lse", s.empty_lse, "LSE of such a row");
  visit("lse_base", s.lse_base, "base of the logarithm of the LSE");
  visit("lse_sink", s.lse_sink, "whether the sink counts in the LSE");
  visit("cap_order", s.cap_order, "softcap before or after the bias");
  visit("visible_nan", s.visible_nan, "whether a NaN that a row sees must reach its output");
}

/// Calls visit(name, member, meaning) for each field of the arithmetic; counts come as
/// visit(name, member, value spelled "any", meaning).
template <class A, class Visit>
void visit_arithmetic(A& a, Visit&& visit) {
  visit("dot", a.dot, "format of products and sums of q.k");
  visit("dot_lanes", a.dot_lanes, 0, "partial sums of a dot product");
  visit("operands", a.operands, "what q, k, V and weights are rounded to in a product");
  visit("adder_terms", a.adder_terms, no_any, "products that one adder takes at once");
  visit("scale_side", a.scale_side, "where the scale is multiplied in");
  visit("scaled", a.scaled, "format that holds a scaled q or k");
  visit("score", a.score, "format of the score arithmetic");
  visit("scale_rounds", a.scale_rounds, "roundings of a score before bias and softcap");
  visit("score_rounds", a.score_rounds, "roundings of a score besides the bias adds");
  visit("bias_rounds", a.bias_rounds, "roundings of a bias before it is added");
  visit("score_stores", a.score_stores, no_any, "stores of a score in score_store");
  visit("cap_stores", a.cap_stores, no_any, "stores of a softcap there, if scores are stored");
  visit("score_store", a.score_store, "format in which scores are stored");
  visit("constant_error", a.constant_error, "error of the folded constant, in u");
  visit("tanh_error", a.tanh_error, "error of tanh, in u");
  visit("tanh_absolute", a.tanh_absolute, "the tanh error is absolute (times cap)");
  visit("alibi_origin", a.alibi_origin, "from where ALiBi distances count");
  visit("mask_by", a.mask_by, "how a key is hidden");
  visit("two_scores", a.two_scores, "numerator and denominator use scores computed twice");
  visit("exp_error", a.exp_error, "error of exp, in u");
  visit("argument_rounds", a.argument_rounds, "roundings of the argument of exp");
  visit("exp_flushes", a.exp_flushes, "exp flushes below the smallest normal number");
  visit("shift", a.shift, "how the maximum is subtracted");
  visit("lazy_rescale", a.lazy_rescale, "how far a score may exceed the shift");
  visit("late_sink", a.late_sink, "the sink is added after the loop");
  visit("weight", a.weight, "format that holds a weight before P V");
  visit("rounds_weight", a.rounds_weight, "weights are rounded to it");
  visit("narrow_weight", a.narrow_weight, "8-bit format to which weights are rounded as well");
  visit("weight_scale", a.weight_scale, "what weights are multiplied with before that");
  visit("sum_of_rounded", a.sum_of_rounded, "the sum is taken over rounded weights");
  visit("norm_first", a.norm_first, "weights are normalised before P V");
  visit("accumulator", a.accumulator, "format of the sums of weights and of P V");
  visit("tile", a.tile, 0, "keys per tile, each summed by itself");
  visit("rescales", a.rescales, -1, "rescales of one accumulator");
  visit("unchanged_max", a.unchanged_max, "the factor of a rescale whose maximum stays");
  visit("renormalises", a.renormalises, "the output is divided by the running sum at each tile");
  visit("merge", a.merge, "how parts of a row are put together");
  visit("merge_levels", a.merge_levels, no_any, "levels of (o, lse) merges");
  visit("splits", a.splits, 0, "parts that are merged");
  visit("part", a.part, "format that holds the output of a part until it is merged");
  visit("lse_rounds", a.lse_rounds, "roundings of an LSE before a merge uses it");
  visit("log_error", a.log_error, "error of log, in u");
  visit("divide_error", a.divide_error, "error of the division by the sum, in u");
  visit("flushes", a.flushes, "FTZ or DAZ may be on");
  visit("f16_flushes", a.f16_flushes, "binary16 values are flushed as well");
  visit("truncates", a.truncates, "adders truncate");
  visit("out", a.out, "format of the output");
  visit("lse_out", a.lse_out, "format of the LSE");
}

/// Calls visit(name, member, meaning) for each promise.
template <class P, class Visit>
void visit_promises(P& p, Visit&& visit) {
  visit("deterministic", p.deterministic, "equal bits in every run");
  visit("batch", p.batch, "equal bits whatever else is in the batch");
  visit("row", p.row, "equal bits whatever the other rows are");
  visit("columns", p.columns, "equal bits whatever the other columns are");
  visit("padding", p.padding, "equal bits with more hidden keys");
  visit("channels", p.channels, "equal bits with more zero channels");
  visit("groups", p.groups, "equal bits when grouped heads are repeated");
  visit("layout", p.layout, "equal bits for every layout");
  visit("threads", p.threads, "equal bits for every number of threads");
  visit("splits", p.splits, "equal bits for every number of splits");
  visit("selection", p.selection, "hidden inputs are not read");
  visit("mask_forms", p.mask_forms, "equal bits for the same mask in another form");
  visit("symmetric", p.symmetric, "equal bits under changes of sign and power-of-two scales");
  visit("exact_one", p.exact_one, "exp(0) = 1 and a single weight is exactly 1");
  visit("weights_from_scores", p.weights_from_scores, "weights do not depend on V");
  visit("minus_inf", p.minus_inf, "a visible score of -inf beside a finite one weighs nothing");
}

/// The words of an enumeration, in the order of its enumerators.
template <class E>
struct Words;
template <>
struct Words<Semantics::EmptyRow> {
  static constexpr std::string_view list[] = {"exempt", "zero", "nan", "mean"};
};
template <>
struct Words<Semantics::EmptyLse> {
  static constexpr std::string_view list[] = {"exempt", "minus_inf", "plus_inf", "zero"};
};
template <>
struct Words<Semantics::LseBase> {
  static constexpr std::string_view list[] = {"exempt", "e", "two"};
};
template <>
struct Words<Semantics::LseSink> {
  static constexpr std::string_view list[] = {"exempt", "included", "excluded"};
};
template <>
struct Words<Semantics::CapOrder> {
  static constexpr std::string_view list[] = {"cap_then_bias", "bias_then_cap"};
};
template <>
struct Words<Semantics::VisibleNan> {
  static constexpr std::string_view list[] = {"exempt", "due"};
};
template <>
struct Words<Arithmetic::Choice> {
  static constexpr std::string_view list[] = {"no", "yes", "any"};
};
template <>
struct Words<Arithmetic::ScaleSide> {
  static constexpr std::string_view list[] = {"after", "q", "k", "sqrt_both", "any"};
};
template <>
struct Words<Arithmetic::Shift> {
  static constexpr std::string_view list[] = {"exact", "fused", "any"};
};
template <>
struct Words<Arithmetic::MaskBy> {
  static constexpr std::string_view list[] = {"exclusion", "minus_inf", "finite", "any"};
};
template <>
struct Words<Arithmetic::Merge> {
  static constexpr std::string_view list[] = {"none", "lse", "sigmoid"};
};
template <>
struct Words<Arithmetic::Operands> {
  static constexpr std::string_view list[] = {"stored", "tf32", "tf32_truncated"};
};
template <>
struct Words<Arithmetic::Narrow> {
  static constexpr std::string_view list[] = {"no", "e4m3", "e5m2"};
};
template <>
struct Words<Arithmetic::UnchangedMax> {
  static constexpr std::string_view list[] = {"exact", "rounded"};
};
template <>
struct Words<Arithmetic::AlibiOrigin> {
  static constexpr std::string_view list[] = {"diagonal", "first_key"};
};

}  // namespace qkvet::detail
