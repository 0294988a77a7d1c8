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
      {.name = "online-16-reversed", .order = Order::reversed, .dot = Dot::reversed},
      {.name = "online-64-lanes", .tile = 64, .dot = Dot::lanes, .hidden = Hidden::minus_inf},
      {.name = "online-fma", .dot = Dot::fma, .sink = Sink::last, .reciprocal = true},
      {.name = "online-128-lanes-16", .tile = 128, .dot = Dot::lanes_16},
      {.name = "online-64-shuffled", .tile = 64, .order = Order::shuffled},
      {.name = "online-4-shuffled", .tile = 4, .order = Order::shuffled, .dot = Dot::fma},
      {.name = "exp-by-polynomial", .exp = Exp::polynomial},
      {.name = "pairwise",
       .algorithm = Algorithm::two_pass,
       .pairwise = true,
       .dot = Dot::lanes_16},
      {.name = "truncating", .truncates = true, .lines = "truncates = yes\n"},
      {.name = "truncating-split",
       .algorithm = Algorithm::split,
       .parts = 2,
       .merge = Merge::lse_flat,
       .dot = Dot::lanes,
       .truncates = true,
       .lines = "truncates = yes\n"},
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
      {.name = "split-in-two",
       .algorithm = Algorithm::split,
       .tile = 64,
       .parts = 2,
       .merge = Merge::lse_flat},
      {.name = "split-in-eight",
       .algorithm = Algorithm::split,
       .parts = 8,
       .merge = Merge::lse_flat,
       .exp = Exp::folded},
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
      {.name = "weights-rounded-in-sum-lazy",
       .tile = 8,
       .lazy = 4,
       .low_only = true,
       .weights = Weights::rounded_in_sum},
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
      {.name = "tf32-rounded",
       .tile = 64,
       .f32_only = true,
       .operands = Operands::tf32,
       .family = Family::tf32},
      {.name = "tf32-blocks-of-4",
       .exp = Exp::fused,
       .f32_only = true,
       .operands = Operands::tf32_cut,
       .adder_terms = 4,
       .family = Family::tf32},
      {.name = "tf32-blocks-of-8-split",
       .algorithm = Algorithm::split,
       .tile = 32,
       .parts = 4,
       .merge = Merge::lse_flat,
       .side = Side::q,
       .exp = Exp::folded,
       .f32_only = true,
       .operands = Operands::tf32_cut,
       .adder_terms = 8,
       .family = Family::tf32,
       .lines = "adder_terms = 8\n"},
      {.name = "tf32-sum-of-rounded",
       .algorithm = Algorithm::two_pass,
       .f32_only = true,
       .operands = Operands::tf32,
       .adder_terms = 16,
       .weights = Weights::rounded_in_sum,
       .family = Family::tf32,
       .lines = "operands = tf32\nadder_terms = 16\n"},
      {.name = "fp8-weights", .tile = 64, .low_only = true, .narrow = Narrow::e4m3,
       .family = Family::fp8},
      {.name = "fp8-in-sum-split",
       .algorithm = Algorithm::split,
       .parts = 3,
       .merge = Merge::lse_flat,
       .exp = Exp::folded,
       .low_only = true,
       .weights = Weights::rounded_in_sum,
       .narrow = Narrow::e4m3,
       .family = Family::fp8},
      {.name = "fp8-448",
       .exp = Exp::fused,
       .low_only = true,
       .narrow = Narrow::e4m3,
       .narrow_scale = 448,
       .family = Family::fp8,
       .lines = "weight_scale = 448\n"},
      {.name = "fp8-e5m2-unscaled",
       .tile = 4,
       .low_only = true,
       .weights = Weights::mixed,
       .narrow = Narrow::e5m2,
       .narrow_scale = 1,
       .family = Family::fp8,
       .lines = "narrow_weight = e5m2\nweight_scale = 1\n"},
  };
  return list;
}

bool takes(const Recipe& recipe, qkvet::Format format) {
  if (recipe.low_only) return qkvet::info(format).bytes == 2;
  return !recipe.f32_only || format == qkvet::Format::binary32;
}

namespace {

const char* ending(Family family) {
  switch (family) {
    case Family::any:
      return "-any";
    case Family::fused:
      return "-fused";
    case Family::math:
      return "-math";
    case Family::fp8:
      return "-fp8";
    case Family::tf32:
      break;
  }
  return "";
}

std::string base_of(const Recipe& recipe, qkvet::Format format) {
  if (recipe.family == Family::tf32) return "tf32";
  return std::string(qkvet::info(format).name) + ending(recipe.family);
}

}  // namespace

std::string contract_label(const Recipe& recipe, qkvet::Format format) {
  std::string label = base_of(recipe, format);
  if (recipe.lines == nullptr) return label;
  label += ", ";
  for (const char* c = recipe.lines; *c != '\0'; ++c) {
    if (*c != '\n') label += *c;
    if (*c == '\n' && c[1] != '\0') label += ", ";
  }
  return label;
}

std::string contract_text(const Recipe& recipe) {
  if (recipe.family == Family::any && recipe.lines == nullptr) return {};
  using qkvet::Format;
  std::string text;
  for (const Format format :
       {Format::binary64, Format::binary32, Format::bfloat16, Format::binary16}) {
    if (!takes(recipe, format)) continue;
    const std::string name(qkvet::info(format).name);
    text += "contract = " + std::string(recipe.name) + "-" + name + "\nbase = " +
            base_of(recipe, format) +
            "/1\n[arithmetic]\n" + (recipe.lines == nullptr ? "" : recipe.lines) +
            "[limits]\nformats = " + name + "\n";
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
