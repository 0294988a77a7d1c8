// The fleet: honest kernels that differ in everything the contract leaves open; f64 inside for f64,
// f32 inside for f32, f16 and bf16. A FAIL on any of them is a fault of ours (bound, oracle or generator), never of
// theirs.
#pragma once

#include <qkvet/candidate/kernel.h>

#include <cstdint>
#include <qkvet/num/format.hpp>
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
enum class Dot : std::uint8_t {
  forward,
  reversed,
  lanes,  ///< 8 of them
  lanes_16,
  fma,
  tail_in_double,
  tail_fused
};
enum class Order : std::uint8_t { forward, reversed, shuffled };  ///< of tiles
enum class Exp : std::uint8_t {
  natural,  ///< exp(s - m)
  exp2,     ///< scores times log2 e, then exp2(s - m)
  folded,   ///< log2 e folded into the scale where there is no softcap
  fused,    ///< exp2(fma(s, log2 e, -(m log2 e)))
  polynomial,  ///< natural, by a polynomial of its own
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
/// How q, k, V and weights enter a product: as they are held, rounded to TF32, or cut off.
enum class Operands : std::uint8_t { stored, tf32, tf32_cut };
/// Weights in 8 bits before P V.
enum class Narrow : std::uint8_t { no, e4m3, e5m2 };
/// The contract of a recipe in format F: F-any, F-fused, F-math, F-fp8, tf32, with lines of its own.
enum class Family : std::uint8_t { any, fused, math, fp8, tf32 };

/// One kernel in one description.
struct Recipe {
  const char* name;
  Algorithm algorithm = Algorithm::online;
  std::int64_t tile = 16;
  Order order = Order::forward;
  bool pairwise = false;  ///< both sums of a two-pass kernel by halves
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
  bool truncates = false;          ///< all arithmetic rounds towards zero
  // Matrix units, in f32.
  bool f32_only = false;
  Operands operands = Operands::stored;
  int adder_terms = 1;  ///< products that one adder takes at once
  // In low formats; all of it is the identity in f32 and f64.
  bool low_only = false;    ///< differs from another recipe only in low formats
  bool scaled_low = false;  ///< a scaled q or k is stored
  Weights weights = Weights::kept;
  Narrow narrow = Narrow::no;  ///< then summed as `weights` says
  int narrow_scale = 256;      ///< weights are rounded to 8 bits as that many times their size
  Stored scores = Stored::none;
  bool parts_low = false;  ///< the output of a part is stored before it is merged
  bool flush_f16 = false;  ///< f16 values are flushed below 2^-14, inputs and outputs included
  Family family = Family::any;
  const char* lines = nullptr;  ///< of [arithmetic]; absent in F-any: nothing is declared
};

[[nodiscard]] std::span<const Recipe> recipes();

/// Whether the recipe is one of that storage format.
[[nodiscard]] bool takes(const Recipe& recipe, qkvet::Format format);

/// The contracts of a recipe, one per format that it takes; empty: nothing is declared.
[[nodiscard]] std::string contract_text(const Recipe& recipe);

/// What it is held to in words: "f32-any", "tf32, adder_terms = 8".
[[nodiscard]] std::string contract_label(const Recipe& recipe, qkvet::Format format);

/// The kernel of recipes()[index] as a candidate.
[[nodiscard]] const qkvet_candidate& candidate(std::size_t index);

}  // namespace fleet
