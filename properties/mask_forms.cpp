// causal-equals-mask, window-equals-mask, key-range-equals-mask, alibi-equals-bias: what is told by
// a flag, a range or a slope may be told by a tensor. Here for cases (a), (c) and (d) of
// relations.md rule 1: bits where mask-forms are promised, one reading of the diagonal in both
// forms, and masks of shapes that are hardly drawn.
#include <cmath>

#include "properties/family.hpp"
#include "properties/list.hpp"
#include "properties/rewrites.hpp"

namespace qkvet {
namespace {

constexpr std::string_view causal_name = "causal-equals-mask";
constexpr std::string_view window_name = "window-equals-mask";
constexpr std::string_view range_name = "key-range-equals-mask";
constexpr std::string_view alibi_name = "alibi-equals-bias";

/// The problem without the diagonal once nothing measures from it.
Problem tidied(Problem p) {
  if (!diagonal_matters(p)) p.mask.diagonal = {};
  return p;
}

// --- causal

std::optional<std::string> when_causal(const Problem& p, const Contract&) {
  if (!p.mask.causal) return "it is not causal";
  return no_weights(p);
}

Plan plan_causal(const Problem& problem, const Contract&) {
  Problem p = fix(problem);
  p.mask.causal = false;
  const bool entries = problem.mask.key_range || problem.mask.diagonal.offsets.size() > 1;
  and_mask(p, {.b = entries}, [&problem](auto b, auto, auto i, auto j) {
    return j <= i + diagonal_offset(problem, b);
  });
  return {{{problem, ""}, {tidied(std::move(p)), "causal as a boolean mask"}}, {}};
}

void prepare_causal(Problem& p, std::uint64_t) { p.mask.causal = true; }

// --- window

std::optional<std::string> when_window(const Problem& p, const Contract&) {
  if (!p.mask.window) return "it has no window";
  return no_weights(p);
}

Plan plan_window(const Problem& problem, const Contract&) {
  Problem p = fix(problem);
  const Window window = *problem.mask.window;
  p.mask.window.reset();
  const bool entries = problem.mask.key_range || problem.mask.diagonal.offsets.size() > 1;
  and_mask(p, {.b = entries}, [&](auto b, auto, auto i, auto j) {
    const std::int64_t ahead = j - (i + diagonal_offset(problem, b));
    return !(window.left && -ahead > *window.left) && !(window.right && ahead > *window.right);
  });
  return {{{problem, ""}, {tidied(std::move(p)), "the window as a boolean mask"}}, {}};
}

void prepare_window(Problem& p, std::uint64_t seed) {
  if (p.mask.window) return;
  Choices choices = Choices::from_seed(seed);
  const std::int64_t most = std::max<std::int64_t>(1, p.shape.S / 2);
  p.mask.window = Window{choices.between(0, most), choices.between(0, most)};
}

// --- key range

std::optional<std::string> when_range(const Problem& p, const Contract&) {
  if (!p.mask.key_range) return "it has no key range";
  return no_weights(p);
}

Plan plan_range(const Problem& problem, const Contract&) {
  Problem p = fixed(problem);
  const KeyRange range = *problem.mask.key_range;
  p.mask.key_range.reset();
  and_mask(p, {.b = true, .i = false}, [&range](auto b, auto, auto, auto j) {
    const auto entry = static_cast<std::size_t>(b);
    return range.start[entry] <= j && j < range.end[entry];
  });
  return {{{problem, ""}, {std::move(p), "the key range as a boolean mask"}}, {}};
}

void prepare_range(Problem& p, std::uint64_t seed) {
  if (p.mask.key_range) return;
  Choices choices = Choices::from_seed(seed);
  KeyRange range;
  for (std::int64_t b = 0; b < p.shape.B; ++b) {
    range.start.push_back(choices.between(0, p.shape.S / 2));
    range.end.push_back(choices.between(range.start.back(), p.shape.S));
  }
  p.mask.key_range = range;
}

// --- ALiBi

std::optional<std::string> when_alibi(const Problem& p, const Contract&) {
  if (!p.alibi_slopes) return "it has no ALiBi";
  return no_weights(p);
}

/// Slopes that are powers of two and a bias of few bits, so that their sum is exact.
Problem exact_alibi(const Problem& problem) {
  Problem p = problem;
  for (std::uint64_t& bits : p.alibi_slopes->bits) {
    const double slope = decode(p.alibi_slopes->format, bits);
    const double size = std::fmin(std::fmax(std::fabs(slope), 0x1p-8), 8);
    if (std::fabs(slope) <= 0) continue;
    const double power = std::isfinite(slope) ? std::exp2(std::round(std::log2(size))) : 0.5;
    bits = encode(p.alibi_slopes->format, std::copysign(power, slope));
  }
  if (p.mask.bias) to_sum_grid(*p.mask.bias);
  p.layouts.bias = {};
  return p;
}

/// ALiBi added to the bias, in the first of a few formats that holds the sums exactly.
Problem alibi_as_bias(const Problem& base) {
  Problem p = fix(base);
  const Format given = base.mask.bias ? base.mask.bias->format : base.format;
  for (const Format format : {given, Format::binary32, Format::binary64}) {
    p.mask.bias = make_tensor(format, {base.shape.B, base.shape.H_q, base.shape.L, base.shape.S});
    bool exact = true;
    for_rows(base.shape, [&](auto b, auto h, auto i) {
      for (std::int64_t j = 0; j < base.shape.S; ++j) {
        const auto distance = static_cast<double>(std::abs(i + diagonal_offset(base, b) - j));
        const double x =
            bias_value(base, b, h, i, j) - base.alibi_slopes->value(h, 0, 0, 0) * distance;
        exact = exact && (!std::isfinite(x) || is_exact(format, x));
        p.mask.bias->set(b, h, i, j, x);
      }
    });
    if (exact) break;
  }
  p.alibi_slopes.reset();
  p.layouts.bias = {};
  return tidied(std::move(p));
}

Plan plan_alibi(const Problem& problem, const Contract&) {
  const Problem base = exact_alibi(problem);
  return {{{base, ""}, {alibi_as_bias(base), "ALiBi as a bias"}}, {}};
}

void prepare_alibi(Problem& p, std::uint64_t seed) {
  if (p.alibi_slopes) return;
  Choices choices = Choices::from_seed(seed);
  p.alibi_slopes = make_tensor(p.format, {p.shape.H_q, 1, 1, 1});
  for (std::uint64_t& bits : p.alibi_slopes->bits) {
    bits = encode(p.format, std::exp2(static_cast<double>(-choices.between(0, 4))));
  }
}

}  // namespace

constinit const Property causal_equals_mask{
    causal_name,
    "A causal problem equals the one whose boolean mask hides what lies beyond the diagonal.",
    applies_when<when_causal, plan_causal>,
    plan_causal,
    judge_equal_runs<causal_name, &Promises::mask_forms>,
    every_impostor,
    prepare_causal,
    "causal_sees_two_in_the_last_row"};

constinit const Property window_equals_mask{
    window_name,
    "A windowed problem equals the one whose boolean mask hides what lies outside the window.",
    applies_when<when_window, plan_window>,
    plan_window,
    judge_equal_runs<window_name, &Promises::mask_forms>,
    every_impostor,
    prepare_window,
    "window_right_inclusive"};

constinit const Property key_range_equals_mask{
    range_name,
    "A key range equals the boolean mask that hides the keys outside it.",
    applies_when<when_range, plan_range>,
    plan_range,
    judge_equal_runs<range_name, &Promises::mask_forms>,
    every_impostor,
    prepare_range,
    "key_range_of_first_entry"};

constinit const Property alibi_equals_bias{alibi_name,
                                           "ALiBi equals the bias of minus slope times distance.",
                                           applies_when<when_alibi, plan_alibi>,
                                           plan_alibi,
                                           judge_meeting_runs<alibi_name>,
                                           every_impostor,
                                           prepare_alibi,
                                           "alibi_without_offset"};

}  // namespace qkvet
