// How a candidate computes: the numerical half of a contract, in words. docs/contract.md maps each
// field to its letter in docs/bounds.md section 1. The defaults here are those of `f32-any`, the
// loosest.
#pragma once

#include <cstdint>
#include <qkvet/num/format.hpp>

namespace qkvet {

/// The rounding model of one dense forward pass. "any" means that every honest choice is covered,
/// key by key. Errors are in units of the unit roundoff u of the named format.
struct Arithmetic {
  enum class Choice : std::uint8_t { no, yes, any };
  enum class ScaleSide : std::uint8_t { after, q, k, sqrt_both, any };
  enum class Shift : std::uint8_t { exact, fused, any };
  enum class MaskBy : std::uint8_t { exclusion, minus_inf, finite, any };
  enum class Merge : std::uint8_t { none, lse, sigmoid };
  enum class UnchangedMax : std::uint8_t {
    exact,    ///< where the maximum stays, a rescale multiplies by exactly 1
    rounded,  ///< exp2(fma(M, c, -(M c))): every rescale is off by the rounding of M c
  };
  enum class Operands : std::uint8_t {
    stored,          ///< products take q, k, V and weights as they are held
    tf32,            ///< rounded to TF32 (11 bits, the range of f32) when they enter a product
    tf32_truncated,  ///< the same, or cut off
  };
  enum class Narrow : std::uint8_t { no, e4m3, e5m2 };  ///< 8-bit formats of weights
  enum class AlibiOrigin : std::uint8_t {
    diagonal,   ///< the bias is -slope * distance from the diagonal
    first_key,  ///< the bias is slope * j: a constant per row is left out (causal only; LSE is
                ///< exempt)
  };

  // Scores.
  Format dot = Format::binary32;  ///< u_qk, eta_qk: products and sums of q.k
  int dot_lanes = 0;              ///< 0 = any order (n_qk = d_k), else that many partial sums
  Operands operands = Operands::stored;  ///< u_op: of both products
  int adder_terms = 1;  ///< K: products that one adder of either product takes at once, aligned to
                        ///< the largest and cut off (matrix units); 1: ordinary adders
  ScaleSide scale_side = ScaleSide::any;  ///< where the scale is multiplied in
  Format scaled = Format::binary32;       ///< u_q, eta_q: holds a scaled q or k
  Format score = Format::binary32;  ///< u_S, u_e: scale, bias, softcap and the shift by the maximum
  double scale_rounds = 2;          ///< n_x: roundings of x after the dot product
  double score_rounds = 1;          ///< n_s besides the bias adds (log2 e multiplied in is one)
  double bias_rounds = 2;           ///< u_b: roundings of a bias before it is added
  int score_stores = 0;  ///< n_st: stores of a score before softcap and bias; 0 = nothing is low
  int cap_stores = 1;    ///< of a softcap: its result, its tanh, x / cap; each bias stores once
  Format score_store =
      Format::binary32;       ///< u_st, eta_st, and its largest number limits the scores
  double constant_error = 4;  ///< eps_c: of the folded constant (scale, scale * log2 e)
  double tanh_error = 6;      ///< eps_tanh
  bool tanh_absolute = true;  ///< the tanh error is absolute (times cap), not relative
  AlibiOrigin alibi_origin = AlibiOrigin::diagonal;  ///< B0
  MaskBy mask_by = MaskBy::any;
  bool two_scores = false;  ///< numerator and denominator use scores computed twice
  // Weights.
  double exp_error = 6;               ///< eps_exp
  double argument_rounds = 2.5;       ///< k_arg: roundings of the argument of exp
  bool exp_flushes = true;            ///< omega: results below the smallest normal number are lost
  Shift shift = Shift::any;           ///< fused: exp2(fma(s, c, -M c)), the top weight is not 1
  double lazy_rescale = 8;            ///< tau: how far a score may exceed the shift
  Choice late_sink = Choice::any;     ///< the sink is added after the loop, without a new maximum
  Format weight = Format::binary32;   ///< w_P, u_P: holds a weight between exp and P V
  Choice rounds_weight = Choice::no;  ///< weights are rounded to that format (u_P), else only held
  Narrow narrow_weight = Narrow::no;  ///< weights are rounded to 8 bits as well
  double weight_scale = 1;            ///< c: what they are multiplied with before that
  Choice sum_of_rounded = Choice::any;  ///< P_in_l: the sum is taken over rounded weights
  Choice norm_first = Choice::any;      ///< weights are normalised before P V
  // Sums.
  Format accumulator = Format::binary32;  ///< u_acc, u_l, eta_acc
  int tile = 0;                           ///< keys per tile, each summed by itself; 0 = any order
  int rescales = -1;                      ///< R; -1 = one per tile, or per key if tile is 0
  UnchangedMax unchanged_max = UnchangedMax::exact;
  bool renormalises = true;               ///< the output is divided by the running sum at each tile
  Merge merge = Merge::lse;
  int merge_levels = 1;     ///< D: levels of (o, lse) merges on the longest path
  int splits = 0;           ///< n_mrg: parts that are merged; 0 = up to one per key
  Format part = Format::binary32;  ///< u_part: holds the output of a part until it is merged
  double lse_rounds = 5;           ///< n_lse: roundings of an LSE between its sum and its use
  double log_error = 4;            ///< eps_log
  double divide_error = 3;         ///< eps_div
  // Modes.
  bool flushes = true;      ///< FTZ or DAZ may be on
  bool f16_flushes = true;  ///< for binary16 as well (few do), if `flushes`
  bool truncates = false;   ///< rz: adders truncate
  // Outputs.
  Format out = Format::binary32;
  Format lse_out = Format::binary32;

  /// Equal in every field (compared as text: the numbers are exact there).
  bool operator==(const Arithmetic& other) const;
};

}  // namespace qkvet
