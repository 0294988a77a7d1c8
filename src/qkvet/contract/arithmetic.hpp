// How a candidate computes: the numerical half of a contract, in words (docs/contract.md maps them to the
// letters of docs/bounds.md section 1).
#pragma once

#include <cstdint>

#include <qkvet/num/format.hpp>

namespace qkvet {

/// Fields are the contract table of bounds.md sections 1 and 3b. "any" values mean that every honest choice
/// must be covered, key by key.
struct Arithmetic {
  enum class Choice : std::uint8_t { no, yes, any };
  enum class ScaleSide : std::uint8_t { after, q, k, sqrt_both, any };
  enum class Shift : std::uint8_t { exact, fused, any };
  enum class MaskBy : std::uint8_t { exclusion, minus_inf, finite, any };
  enum class Merge : std::uint8_t { none, lse, sigmoid };

  // Scores.
  Format dot = Format::binary32;         ///< u_qk, eta_qk: products and sums of q.k
  int dot_lanes = 0;                     ///< 0 = any order (n_qk = d_k), else d_k/lanes + log2(lanes) + 1
  ScaleSide scale_side = ScaleSide::any; ///< u_q, eta_q
  double scale_rounds = 2;               ///< n_x: roundings of x after the dot product
  double score_rounds = 1;               ///< n_s besides the bias add: roundings of s
  bool stores_scores = false;            ///< n_st low-precision stores of scores in score_store
  Format score_store = Format::binary32; ///< u_st, max_S
  double constant_error = 4;             ///< eps_c in units of u
  double tanh_error = 6;                 ///< eps_tanh in units of u
  bool tanh_absolute = true;             ///< the tanh error is absolute (times cap)
  MaskBy mask_by = MaskBy::any;
  // Weights.
  double exp_error = 4;                  ///< eps_exp in units of u
  double argument_rounds = 2.5;          ///< k_arg
  bool exp_flushes = true;               ///< omega = 2 mu instead of eta
  Shift shift = Shift::any;
  double lazy_rescale = 8;               ///< tau
  Choice late_sink = Choice::any;
  Format weight = Format::binary32;      ///< u_P: format to which weights are rounded before P V
  Choice rounds_weight = Choice::no;
  Choice sum_of_rounded = Choice::any;   ///< is l summed from the rounded weights
  Choice norm_first = Choice::any;
  bool two_scores = false;
  // Sums.
  Format accumulator = Format::binary32; ///< u_acc and u_l
  int tile = 0;                          ///< keys per tile of a structured sum; 0 = any order
  int rescales = -1;                     ///< R; -1 = up to one per key, 0 = two-pass
  Merge merge = Merge::lse;
  int merge_levels = 1;                  ///< D
  double lse_rounds = 5;                 ///< n_lse
  double log_error = 4;                  ///< eps_log in units of u
  double divide_error = 3;               ///< eps_div in units of u
  // Modes.
  bool flushes = true;                   ///< FTZ and DAZ permitted
  bool truncates = false;                ///< rz
  double bias_origin = 0;                ///< B0 of an ALiBi in shift form
  // Output.
  Format out = Format::binary32;
  Format lse_out = Format::binary32;

  bool operator==(const Arithmetic&) const = default;
};

}  // namespace qkvet
