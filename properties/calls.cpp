// layout, repeat, history-free, every-argument-matters: how a problem is handed over, and what was
// asked before, do not matter; what it says does. Here for cases (a) and (d) of relations.md rule
// 1: bits where layouts and repeats are promised, sequences of calls, and arguments changed one by
// one.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "properties/family.hpp"
#include "properties/list.hpp"
#include "properties/rewrites.hpp"

namespace qkvet {
namespace {

constexpr std::string_view layout_name = "layout";
constexpr std::string_view repeat_name = "repeat";
constexpr std::string_view history_name = "history-free";
constexpr std::string_view arguments_name = "every-argument-matters";

using Extents = std::array<std::int64_t, 4>;

std::optional<std::string> when_weights(const Problem& p, const Contract&) { return no_weights(p); }

// --- layouts

/// Axes in memory in the given order, outermost first; elements `step` apart, rows `pad` longer.
Layout laid(const Extents& extents, const std::array<std::size_t, 4>& order, std::int64_t step,
            std::int64_t pad) {
  Extents strides{};
  std::int64_t stride = step;
  for (std::size_t n = 4; n-- > 0;) {
    strides[order[n]] = stride;
    stride *= std::max<std::int64_t>(extents[order[n]], 1);
    if (n == 3) stride += pad;
  }
  return {strides, pad};
}

/// Each tensor in a layout of its own, no two alike.
Problem scattered(const Problem& problem) {
  Problem p = problem;
  const Shape& s = p.shape;
  p.layouts.q = laid(p.q.extents, {0, 2, 1, 3}, 1, 3);
  p.layouts.k = laid(p.k.extents, {0, 1, 3, 2}, 1, 1);
  p.layouts.v = laid(p.v.extents, {1, 0, 2, 3}, 2, 5);
  p.layouts.o = laid({s.B, s.H_q, s.L, s.d_v}, {2, 0, 1, 3}, 1, 2);
  if (p.want_lse) p.layouts.lse = laid({s.B, s.H_q, s.L, 1}, {2, 1, 0, 3}, 1, 1);
  if (p.mask.attend) p.layouts.attend = laid(p.mask.attend->extents, {0, 1, 3, 2}, 1, 7);
  if (p.mask.bias) p.layouts.bias = laid(p.mask.bias->extents, {3, 0, 1, 2}, 1, 1);
  return p;
}

Plan plan_layout(const Problem& problem, const Contract&) {
  Problem plain = problem;
  plain.layouts = {};
  Plan plan{{{plain, ""}, {scattered(problem), "each tensor in a layout of its own"}}, {}};
  if (!(problem.layouts == Layouts{})) plan.runs.push_back({problem, "the drawn layouts"});
  return plan;
}

// --- the same call again

Plan plan_repeat(const Problem& problem, const Contract&) {
  return {{{problem, ""}, {problem, "again"}, {problem, "once more"}}, {}};
}

// --- other calls between

Problem with_other_contents(const Problem& problem, Choices& choices) {
  Problem p = problem;
  for (Tensor* tensor : {&p.q, &p.k, &p.v}) {
    for (std::uint64_t& bits : tensor->bits) {
      bits = encode(p.format, static_cast<double>(choices.between(-256, 256)) / 64);
    }
  }
  p.layouts.q = p.layouts.k = p.layouts.v = {};
  return p;
}

/// The same shape, with what the problem uses dropped; causal if it uses nothing.
Problem with_other_features(const Problem& problem) {
  Problem p = problem;
  const bool plain = !(problem.mask.causal || problem.mask.window || problem.mask.key_range ||
                       problem.mask.attend || problem.mask.bias || problem.sinks ||
                       problem.alibi_slopes || problem.softcap > 0);
  p.mask = {};
  p.mask.causal = plain;
  p.sinks.reset();
  p.alibi_slopes.reset();
  p.softcap = 0;
  p.layouts.attend = p.layouts.bias = {};
  return p;
}

/// Longer rows of q move it and all that lies behind it.
Problem in_other_buffers(const Problem& problem) {
  Problem p = problem;
  p.layouts.q = laid(p.q.extents, {0, 1, 2, 3}, 1, 5);
  return p;
}

/// What is asked between the problem and the problem again.
struct Between {
  Plan& plan;
  const Problem& problem;
  const Contract& contract;

  /// Runs outside the limits are left out.
  void ask(Problem p, const char* role) {
    if (!outside(contract.limits, p)) plan.runs.push_back({std::move(p), role});
  }
  /// map: the runs that are the problem again, in other buffers with a minus.
  void again(const char* role) {
    plan.map.push_back(static_cast<std::int64_t>(plan.runs.size()));
    plan.runs.push_back({problem, role});
  }
};

/// New contents in the same buffers, then another shape.
void other_shapes(Between& between, Choices& choices) {
  const Problem& problem = between.problem;
  between.ask(with_other_contents(problem, choices), "other contents");
  between.again("again");
  Problem other = with_other_contents(slice_rows(problem, 0, 1), choices);
  other.mask.attend.reset();
  other.mask.bias.reset();
  other.layouts = {};
  between.ask(std::move(other), "another shape");
  between.again("after another shape");
}

/// Features one way, then the other; the same contents in other buffers.
void other_features(Between& between, Choices& choices) {
  const Problem& problem = between.problem;
  between.ask(with_other_features(problem), "other features");
  between.again("again");
  Problem moved = in_other_buffers(problem);
  if (outside(between.contract.limits, moved)) return;
  between.ask(with_other_contents(problem, choices), "other contents");
  between.plan.map.push_back(-static_cast<std::int64_t>(between.plan.runs.size()));
  between.plan.runs.push_back({std::move(moved), "in other buffers"});
}

/// More calls of one shape than a warm-up takes (each run is two), all with contents of their own.
void many_calls(Between& between, Choices& choices) {
  for (int n = 0; n < 6; ++n) {
    between.ask(with_other_contents(between.problem, choices), "one of many calls");
  }
  between.again("after many calls");
}

std::optional<std::string> when_small(const Problem& p, const Contract&) {
  return no_small_weights(p);
}

Plan plan_history(const Problem& problem, const Contract& contract) {
  Plan plan{{{problem, ""}}, {}};
  Between between{plan, problem, contract};
  Choices choices = choices_of(history_name);
  const Shape& s = problem.shape;
  switch ((s.L + s.S + s.d_k) % 3) {
    case 0:
      other_shapes(between, choices);
      break;
    case 1:
      other_features(between, choices);
      break;
    default:
      many_calls(between, choices);
  }
  return plan;
}

Verdict judge_history(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(history_name);
  own_everywhere(ledger, exhibits);
  const Promises& promises = exhibits[0].contract->promises;
  for (const std::int64_t run : plan.map) {
    const bool bits = promises.deterministic && (run > 0 || promises.layout);
    relate(ledger, bits, exhibits[0], exhibits[static_cast<std::size_t>(std::abs(run))],
           [](const PlaceIndex& at) { return at; });
  }
  return ledger.verdict();
}

// --- one argument changed

void scale_tensor(Tensor& tensor, double factor) {
  for (std::uint64_t& bits : tensor.bits) {
    const double x = decode(tensor.format, bits) * factor;
    if (is_exact(tensor.format, x)) bits = encode(tensor.format, x);
  }
}

struct Argument {
  const char* role;
  bool (*change)(Problem&);  ///< false if the problem does not use it
};

const Argument arguments[] = {
    {"twice the scale",
     [](Problem& p) {
       p.scale = 2 * scale_value(p);
       return true;
     }},
    {"causal dropped", [](Problem& p) { return std::exchange(p.mask.causal, false); }},
    {"diagonal moved",
     [](Problem& p) {
       if (!diagonal_matters(p)) return false;
       p = fix(p);
       for (std::int64_t& offset : p.mask.diagonal.offsets) ++offset;
       return true;
     }},
    {"window moved to the left",
     [](Problem& p) {
       if (!p.mask.window || !p.mask.window->left) return false;
       ++*p.mask.window->left;
       return true;
     }},
    {"window moved to the right",
     [](Problem& p) {
       if (!p.mask.window || !p.mask.window->right) return false;
       ++*p.mask.window->right;
       return true;
     }},
    {"key range from 0",
     [](Problem& p) {
       if (!p.mask.key_range) return false;
       p = fixed(p);
       for (std::int64_t& start : p.mask.key_range->start) start = 0;
       return true;
     }},
    {"key range up to S",
     [](Problem& p) {
       if (!p.mask.key_range) return false;
       p = fixed(p);
       for (std::int64_t& end : p.mask.key_range->end) end = p.shape.S;
       return true;
     }},
    {"boolean mask inverted",
     [](Problem& p) {
       if (!p.mask.attend) return false;
       for (std::uint8_t& attend : p.mask.attend->attend) attend = attend != 0 ? 0 : 1;
       p.layouts.attend = {};
       return true;
     }},
    {"half the bias",
     [](Problem& p) {
       if (!p.mask.bias) return false;
       scale_tensor(*p.mask.bias, 0.5);
       p.layouts.bias = {};
       return true;
     }},
    {"half the softcap",
     [](Problem& p) {
       if (!(p.softcap > 0x1p-100)) return false;
       p.softcap /= 2;
       return true;
     }},
    {"half the sinks",
     [](Problem& p) {
       if (!p.sinks) return false;
       scale_tensor(*p.sinks, 0.5);
       return true;
     }},
    {"half the slopes",
     [](Problem& p) {
       if (!p.alibi_slopes) return false;
       scale_tensor(*p.alibi_slopes, 0.5);
       return true;
     }},
};

/// At most four of the arguments in use, the rarer ones first.
Plan plan_arguments(const Problem& problem, const Contract& contract) {
  Plan plan{{{problem, ""}}, {}};
  for (std::size_t n = std::size(arguments); n-- > 0 && plan.runs.size() < 5;) {
    Problem p = problem;
    if (!arguments[n].change(p) || outside(contract.limits, p)) continue;
    plan.runs.push_back({std::move(p), arguments[n].role});
  }
  return plan;
}

std::optional<std::string> when_arguments(const Problem& p, const Contract& contract) {
  if (const auto why = no_weights(p)) return why;
  if (plan_arguments(p, contract).runs.size() < 2) return "no argument of it can be changed";
  return std::nullopt;
}

Verdict judge_arguments(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(arguments_name);
  own_everywhere(ledger, exhibits);
  return ledger.verdict();
}

}  // namespace

constinit const Property layout{layout_name,
                                "Strides, order of axes and alignment of a tensor do not matter.",
                                applies_when<when_weights, plan_layout>,
                                plan_layout,
                                judge_equal_runs<layout_name, &Promises::layout>,
                                every_impostor,
                                nullptr,
                                "bias_strides_contiguous"};

constinit const Property repeat{repeat_name,
                                "The same call again gives the same.",
                                applies_when<when_weights, plan_repeat>,
                                plan_repeat,
                                judge_equal_runs<repeat_name, &Promises::deterministic>,
                                every_impostor,
                                nullptr,
                                "every_fifth_call_rounds_down"};

constinit const Property history_free{
    history_name,
    "A call does not depend on the contents, shapes and features of those before it.",
    applies_when<when_small, plan_history>,
    plan_history,
    judge_history,
    every_impostor,
    nullptr,
    "values_kept_for_same_shape"};

constinit const Property every_argument_matters{
    arguments_name,
    "Each argument counts: changed alone, it changes the output as it should.",
    applies_when<when_arguments, plan_arguments>,
    plan_arguments,
    judge_arguments,
    every_impostor,
    nullptr,
    "window_right_ignored"};

}  // namespace qkvet
