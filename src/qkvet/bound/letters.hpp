// The letters of docs/bounds.md 1: a contract's words turned into numbers for one row of one
// problem.
#pragma once

#include <cstdint>
#include <qkvet/contract/arithmetic.hpp>
#include <qkvet/num/mag.hpp>
#include <qkvet/problem/tensor.hpp>

namespace qkvet::bound {

/// Upper bounds all, except where said. `n` counts visible keys, the sink included.
struct Letters {
  Arithmetic words;
  double n = 0, d_k = 0;
  // Scores.
  double n_qk = 0;  ///< roundings on the longest path of q.k
  Mag u_q;          ///< relative error of a scaled q or k
  Mag dot_error;    ///< relative to A: (1 + g(n_qk u_qk))(1 + u_q) - 1
  Mag dot_leaf;     ///< the part of it that single products bear, relative to A
  Mag dot_adds;     ///< what all adds cost, relative to the largest partial sum; infinite if unknown
  Mag eta_qk;     ///< what one product or partial sum of q.k can lose
  Mag eta_q;      ///< what one element of a scaled q or k can lose
  Mag u_op;       ///< rounding of an operand of a product
  Mag mu_in;      ///< what DAZ, or the rounding of an operand, takes from an input
  Mag mu_v;       ///< the same from V, where eta_acc does not pay for it
  bool scales_q = false, scales_k = false, scales_both = false;
  Mag u_S, eta_S;               ///< score arithmetic
  bool stores = false;  ///< scores are stored low
  Mag u_st, eta_st;
  double max_S = 0, max_q = 0;  ///< largest finite score; largest finite scaled q or k (exact)
  double max_st = 0;            ///< largest finite stored score, infinity if none is stored
  Mag eps_c, eps_tanh;
  // Weights.
  Mag eps_exp, log_exp;  ///< eps_exp and -ln(1 - eps_exp)
  Mag omega;             ///< what a weight can lose to underflow, before rescales
  Mag tau;               ///< lazy rescale; a late sink is added per row
  bool fused = false;    ///< the shift may be fused
  bool late_sink = false;
  Mag u_P, w_P;  ///< rounding and underflow of the weight that enters P V
  double least_P = 0;  ///< a weight of at least that much underflows by nothing (exact)
  double log_max_P = 0;  ///< a weight of e to that is stored as a finite number (lower bound)
  Mag scale_P{1.0};      ///< c: weights are held times that
  bool rounds_in_sum = false, rounds_outside_sum = false, may_norm_first = false;
  // Sums.
  Mag u_acc, eta_acc;
  double max_acc = 0;
  double chain = 0;     ///< n_acc = n_l without rescales
  double rescales = 0;  ///< R, at most one per key, or one per tile where the factor is never 1
  double drifts = 0;    ///< rescales of an unchanged maximum that are off by its rounding
  double tiles = 0;     ///< at which the output may be renormalised, 0 if it is not
  double renormal = 0;  ///< roundings that this costs
  double descales = 0;  ///< roundings of 1 / c
  bool merges = false;
  double levels = 0;  ///< D
  double parts = 0;   ///< n_mrg
  Mag n_lse, eps_log, eps_div;
  // Outputs, also of parts: 0 where they are stored in the format in which they were computed.
  Mag u_part, eta_part, u_out, eta_out, u_lse, eta_lse;
  double border_part = 0, border_out = 0;  ///< what is below is stored as a finite number
  double max_lse = 0;

  /// What DAZ takes from one exact input: all of a subnormal number, where it may be flushed.
  /// docs/bounds.md 1.4
  [[nodiscard]] Mag flushed(Format format, double size) const;
  /// nu of a key that is rescaled `times` times, without the rounding of its weight.
  /// docs/bounds.md 4.3
  [[nodiscard]] Mag nu(double times) const;
  /// The roundings that nu counts besides the chain and the rescales.
  [[nodiscard]] double other_roundings() const;
  /// g(most u) / most: what each of at most `most` roundings of a sum costs.  docs/bounds.md 4.8
  [[nodiscard]] Mag per_rounding(double most) const;
  /// mu of such a key.
  [[nodiscard]] Mag mu(double times) const;
  /// nu with the rounding of the weight where the sum may not share it.
  [[nodiscard]] Mag nu_rounded(double times) const {
    return rounds_outside_sum ? compound(nu(times), u_P) : nu(times);
  }
};

[[nodiscard]] Letters letters_of(const Arithmetic& words, const Shape& shape, std::int64_t n);

}  // namespace qkvet::bound
