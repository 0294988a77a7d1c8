// The fleet: honest kernels that differ in everything the contract leaves open; f32 inside, storage
// f32, f16 or bf16. A FAIL on any of them is a fault of ours (bound, oracle or generator), never of
// theirs.
#pragma once

#include <qkvet/candidate/kernel.h>

#include <cstdint>
#include <span>
#include <string>

namespace fleet {

enum class Algorithm : std::uint8_t {
  online,            ///< running maximum, one state, tile by tile
  renormalised,      ///< the same, but the output is normalised after each tile (FlashAttention-1)
  two_pass,          ///< the maximum first, then sums; divided at the end
  normalised_first,  ///< weights are divided by their sum, then multiplied with V
  weights_from_lse,  ///< weights are exp(score - LSE): no division at all
  split,             ///< parts of the keys by themselves, then merged
};
enum class Merge : std::uint8_t { state, lse_flat, lse_chain, lse_tree };
enum class Side : std::uint8_t { after, q, k, sqrt_both };
enum class Dot : std::uint8_t { forward, reversed, lanes, fma, tail_in_double, tail_fused };
enum class Exp : std::uint8_t {
  natural,  ///< exp(s - m)
  exp2,     ///< scores times log2 e, then exp2(s - m)
  folded,   ///< log2 e folded into the scale where there is no softcap
  fused,    ///< exp2(fma(s, log2 e, -(m log2 e)))
};
enum class Tanh : std::uint8_t { libm, by_exp };
enum class Sink : std::uint8_t { first, last, late };
enum class Hidden : std::uint8_t { exclusion, minus_inf, finfo_min };
/// Weights are rounded to the storage format before P V: not at all, there alone, in their sum too,
/// or in the sum of every other tile only.
enum class Weights : std::uint8_t { kept, rounded, rounded_in_sum, mixed };
/// Scores are stored: not at all; after the product; before and after the scale; and each step of a
/// softcap by itself.
enum class Stored : std::uint8_t { none, once, twice, each_step };
/// The contract of a recipe in format F: F-any, F-fused, F-math, and F-any with lines of its own.
enum class Family : std::uint8_t { any, fused, math };

/// One kernel in one description.
struct Recipe {
  const char* name;
  Algorithm algorithm = Algorithm::online;
  std::int64_t tile = 16;
  bool reversed = false;  ///< tiles from the last to the first
  std::int64_t parts = 1;
  Merge merge = Merge::state;
  Side side = Side::after;
  Dot dot = Dot::forward;
  Exp exp = Exp::natural;
  Tanh tanh = Tanh::libm;
  Sink sink = Sink::first;
  Hidden hidden = Hidden::exclusion;
  float lazy = 0;                  ///< the maximum moves only when it grows by more than this
  bool reciprocal = false;         ///< times 1/sum instead of divided by sum
  bool flush = false;              ///< FTZ and DAZ during the call
  // In low formats; all of it is the identity in f32.
  bool low_only = false;    ///< differs from another recipe only in low formats
  bool scaled_low = false;  ///< a scaled q or k is stored
  Weights weights = Weights::kept;
  Stored scores = Stored::none;
  bool parts_low = false;  ///< the output of a part is stored before it is merged
  bool flush_f16 = false;  ///< f16 values are flushed below 2^-14, inputs and outputs included
  Family family = Family::any;
  const char* lines = nullptr;  ///< of [arithmetic]; absent in F-any: nothing is declared
};

[[nodiscard]] std::span<const Recipe> recipes();

/// The contracts of a recipe, one per format that it takes; empty: nothing is declared.
[[nodiscard]] std::string contract_text(const Recipe& recipe);

/// The kernel of recipes()[index] as a candidate.
[[nodiscard]] const qkvet_candidate& candidate(std::size_t index);

}  // namespace fleet
