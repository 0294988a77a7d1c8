// The list of the fleet. Each line keeps the words of its contract: one score per key, one weight
// in both sums, a shift within 8 of the maximum. Sigmoid merges and scores computed twice are not
// honest under F-any and are not here; merges of merges declare how deep they go, stored scores how
// often.
#include <array>
#include <vector>

#include "fleet.hpp"
#include "kernel.hpp"

namespace fleet {

std::span<const Recipe> recipes() {
  static const std::vector<Recipe> list{
      {.name = "online-1", .tile = 1},
      {.name = "online-16"},
      {.name = "online-16-reversed", .reversed = true, .dot = Dot::reversed},
      {.name = "online-64-lanes", .tile = 64, .dot = Dot::lanes, .hidden = Hidden::minus_inf},
      {.name = "online-fma", .dot = Dot::fma, .sink = Sink::last, .reciprocal = true},
      {.name = "renormalised", .algorithm = Algorithm::renormalised, .tile = 4},
      {.name = "two-pass", .algorithm = Algorithm::two_pass},
      {.name = "two-pass-finfo-min",
       .algorithm = Algorithm::two_pass,
       .hidden = Hidden::finfo_min,
       .reciprocal = true},
      {.name = "normalised-first", .algorithm = Algorithm::normalised_first},
      {.name = "normalised-first-reciprocal",
       .algorithm = Algorithm::normalised_first,
       .hidden = Hidden::minus_inf,
       .reciprocal = true,
       .flush = true},
      {.name = "weights-from-lse", .algorithm = Algorithm::weights_from_lse},
      {.name = "weights-from-lse-exp2",
       .algorithm = Algorithm::weights_from_lse,
       .exp = Exp::folded},
      {.name = "split-by-state", .algorithm = Algorithm::split, .tile = 4, .parts = 5},
      {.name = "split-by-lse-flat",
       .algorithm = Algorithm::split,
       .parts = 7,
       .merge = Merge::lse_flat,
       .exp = Exp::exp2},
      {.name = "split-by-lse-per-key",
       .algorithm = Algorithm::split,
       .tile = 1,
       .parts = std::int64_t{1} << 40,
       .merge = Merge::lse_flat},
      {.name = "split-by-lse-chain",
       .algorithm = Algorithm::split,
       .parts = 4,
       .merge = Merge::lse_chain,
       .lines = "merge_levels = 3\n"},
      {.name = "split-by-lse-tree",
       .algorithm = Algorithm::split,
       .parts = 8,
       .merge = Merge::lse_tree,
       .lines = "merge_levels = 3\n"},
      {.name = "scale-in-q", .side = Side::q},
      {.name = "scale-in-k", .side = Side::k},
      {.name = "sqrt-scale-on-both-sides", .side = Side::sqrt_both},
      {.name = "lazy-rescale", .tile = 2, .lazy = 8},
      {.name = "ftz-daz", .flush = true},
      {.name = "ftz-daz-scale-in-k", .side = Side::k, .hidden = Hidden::minus_inf, .flush = true},
      {.name = "exp2-folded", .exp = Exp::folded},
      {.name = "exp2-fused-shift", .exp = Exp::fused},
      {.name = "tail-in-double", .dot = Dot::tail_in_double},
      {.name = "tail-fused", .tile = 64, .dot = Dot::tail_fused},
      {.name = "tanh-by-exp", .tanh = Tanh::by_exp},
      {.name = "late-sink", .sink = Sink::late},
      {.name = "late-sink-lazy-exp2", .exp = Exp::exp2, .sink = Sink::late, .lazy = 5.5F},
      {.name = "finfo-min", .tile = 8, .hidden = Hidden::finfo_min},
      {.name = "weights-rounded", .low_only = true, .weights = Weights::rounded},
      {.name = "weights-rounded-in-sum",
       .tile = 4,
       .low_only = true,
       .weights = Weights::rounded_in_sum},
      {.name = "weights-mixed", .tile = 4, .low_only = true, .weights = Weights::mixed},
      {.name = "weights-rounded-renormalised",
       .algorithm = Algorithm::renormalised,
       .low_only = true,
       .weights = Weights::rounded},
      {.name = "weights-rounded-from-lse",
       .algorithm = Algorithm::weights_from_lse,
       .low_only = true,
       .weights = Weights::rounded},
      {.name = "weights-rounded-lazy-fused",
       .tile = 2,
       .exp = Exp::fused,
       .lazy = 8,
       .low_only = true,
       .weights = Weights::rounded},
      {.name = "low-scale-in-q",
       .side = Side::q,
       .exp = Exp::folded,
       .low_only = true,
       .scaled_low = true,
       .weights = Weights::rounded},
      {.name = "low-scale-in-k", .side = Side::k, .low_only = true, .scaled_low = true},
      {.name = "low-sqrt-scale",
       .algorithm = Algorithm::normalised_first,
       .side = Side::sqrt_both,
       .low_only = true,
       .scaled_low = true,
       .weights = Weights::rounded},
      {.name = "low-parts",
       .algorithm = Algorithm::split,
       .parts = 5,
       .merge = Merge::lse_flat,
       .low_only = true,
       .weights = Weights::rounded,
       .parts_low = true},
      {.name = "low-parts-chain",
       .algorithm = Algorithm::split,
       .parts = 4,
       .merge = Merge::lse_chain,
       .low_only = true,
       .parts_low = true,
       .lines = "merge_levels = 3\n"},
      {.name = "f16-flushed",
       .algorithm = Algorithm::normalised_first,
       .flush = true,
       .low_only = true,
       .weights = Weights::rounded,
       .flush_f16 = true},
      {.name = "fused",
       .exp = Exp::fused,
       .low_only = true,
       .weights = Weights::rounded,
       .family = Family::fused},
      {.name = "fused-split",
       .algorithm = Algorithm::split,
       .parts = 5,
       .merge = Merge::lse_flat,
       .exp = Exp::folded,
       .flush = true,
       .low_only = true,
       .weights = Weights::rounded_in_sum,
       .family = Family::fused},
      {.name = "math",
       .algorithm = Algorithm::normalised_first,
       .side = Side::sqrt_both,
       .hidden = Hidden::minus_inf,
       .low_only = true,
       .scaled_low = true,
       .weights = Weights::rounded,
       .scores = Stored::once,
       .family = Family::math},
      {.name = "math-softcap-in-steps",
       .algorithm = Algorithm::normalised_first,
       .side = Side::sqrt_both,
       .low_only = true,
       .scaled_low = true,
       .weights = Weights::rounded,
       .scores = Stored::each_step,
       .family = Family::math},
      {.name = "math-scale-after",
       .algorithm = Algorithm::normalised_first,
       .dot = Dot::lanes,
       .low_only = true,
       .weights = Weights::rounded,
       .scores = Stored::twice,
       .family = Family::math,
       .lines = "scale_side = after\nscore_stores = 2\n"},
      {.name = "math-each-step",
       .algorithm = Algorithm::normalised_first,
       .reciprocal = true,
       .low_only = true,
       .weights = Weights::rounded,
       .scores = Stored::each_step,
       .family = Family::math,
       .lines = "scale_side = after\nscore_stores = 2\n"},
      {.name = "online-stored-scores",
       .tile = 8,
       .low_only = true,
       .scores = Stored::once,
       .lines = "scale_side = after\nscore_stores = 1\n"},
  };
  return list;
}

std::string contract_text(const Recipe& recipe) {
  if (recipe.family == Family::any && recipe.lines == nullptr) return {};
  std::string text;
  for (const std::string format : {"f32", "bf16", "f16"}) {
    if (format == "f32" && recipe.low_only) continue;
    const char* const family = recipe.family == Family::any     ? "any"
                               : recipe.family == Family::fused ? "fused"
                                                                : "math";
    text += "contract = " + std::string(recipe.name) + "-" + format + "\nbase = " + format + "-" +
            family + "/1\n[arithmetic]\n" + (recipe.lines == nullptr ? "" : recipe.lines) +
            "[limits]\nformats = " + format + "\n";
  }
  return text;
}

namespace {

int forward(void* self, const qkvet_args* args, qkvet_error* why) {
  return run(*static_cast<const Recipe*>(self), *args, why);
}

}  // namespace

const qkvet_candidate& candidate(std::size_t index) {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> all;
    for (const Recipe& recipe : recipes()) all.push_back(contract_text(recipe));
    return all;
  }();
  static const std::vector<qkvet_candidate> tables = [] {
    std::vector<qkvet_candidate> all;
    for (const Recipe& recipe : recipes()) {
      const std::string& text = texts[all.size()];
      all.push_back({sizeof(qkvet_candidate), QKVET_ABI, recipe.name, "1",
                     text.empty() ? nullptr : text.c_str(), nullptr, forward,
                     const_cast<Recipe*>(&recipe)});
    }
    return all;
  }();
  return tables[index];
}

}  // namespace fleet
