// How large the errors of honest kernels usually are: a model of random roundings, not a proof. It
// never fails a candidate; check/statistics compares what was seen with it.  docs/bounds.md 10
#pragma once

#include <qkvet/contract/contract.hpp>
#include <qkvet/problem/problem.hpp>
#include <vector>

namespace qkvet {

/// Of one output place, in the units of the output. A sigma of 0: the model says nothing there.
struct Spread {
  double sigma = 0;  ///< standard deviation of the error, output rounding included
  double prob = 0;   ///< PROB: bound that the model exceeds with probability 4.6e-11, before DET
};

/// Spreads of all outputs [B,H_q,L,d_v] and LSEs [B,H_q,L] of a problem.
struct Spreads {
  std::vector<Spread> o, lse;  ///< lse: sigma only
  // Of each row [B,H_q,L]:
  std::vector<double> common;  ///< sigma of the relative error that all its outputs share
  std::vector<double> lse_common;  ///< what a constant that is off moves all LSEs by, of this one
  std::vector<double> level;       ///< its exact LSE: rows with equal ones repeat each other
};

/// True if the model speaks of the contract: rounding to nearest, one score per key, an exact
/// rescale where the maximum stays.
[[nodiscard]] bool has_model(const Arithmetic& arithmetic);

/// Plain doubles and the first rung: an estimate needs no enclosure. All sigmas are 0 without a
/// model.
[[nodiscard]] Spreads spreads(const Problem& problem, const Contract& contract);

}  // namespace qkvet
