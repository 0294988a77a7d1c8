// The list of the fleet. Each line keeps the words of its contract: one score per key, one weight
// in both sums, a shift within 8 of the maximum. Sigmoid merges and scores computed twice are not
// honest under f32-any and are not here; merges of merges declare how deep they go.
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
       .contract = "contract = chain-of-four\nbase = f32-any/1\n[arithmetic]\nmerge_levels = 3\n"
                   "[limits]\nformats = f32\n"},
      {.name = "split-by-lse-tree",
       .algorithm = Algorithm::split,
       .parts = 8,
       .merge = Merge::lse_tree,
       .contract = "contract = tree-of-eight\nbase = f32-any/1\n[arithmetic]\nmerge_levels = 3\n"
                   "[limits]\nformats = f32\n"},
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
  };
  return list;
}

namespace {

int forward(void* self, const qkvet_args* args, qkvet_error* why) {
  return run(*static_cast<const Recipe*>(self), *args, why);
}

}  // namespace

const qkvet_candidate& candidate(std::size_t index) {
  static const std::vector<qkvet_candidate> tables = [] {
    std::vector<qkvet_candidate> all;
    for (const Recipe& recipe : recipes()) {
      all.push_back({sizeof(qkvet_candidate), QKVET_ABI, recipe.name, "1", recipe.contract, nullptr,
                     forward, const_cast<Recipe*>(&recipe)});
    }
    return all;
  }();
  return tables[index];
}

}  // namespace fleet
