// A candidate: anything that computes attention, run under guard. The one erased interface of
// qkvet.
#pragma once

#include <qkvet/candidate/kernel.h>

#include <memory>
#include <qkvet/candidate/observation.hpp>
#include <qkvet/contract/contract.hpp>
#include <qkvet/problem/problem.hpp>
#include <string>
#include <vector>

namespace qkvet {

/// The formats in which a candidate gets its output tensors: those of the contract
/// that judges, its fields `out` and `lse_out`.
[[nodiscard]] OutputFormats output_formats(const Contract& contract);

/// Knows nothing of oracles and bounds.
class Candidate {
 public:
  virtual ~Candidate() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// Declared contracts (with limits); those that are missing are assumed by ContractSet::at.
  [[nodiscard]] virtual const ContractSet& contracts() const = 0;
  /// "L0" in this process, "L1" a worker process with limits.
  [[nodiscard]] virtual const char* isolation() const = 0;
  /// Runs the problem (twice: NaN-poisoned, then finite-poisoned outputs). Never throws for what
  /// the candidate does; throws InputError(candidate_unusable) if its surroundings lack something
  /// that this problem needs (an interpreter without a bf16 type).
  [[nodiscard]] virtual Observation run(const Problem& problem, const OutputFormats& outputs) = 0;
  /// With the outputs of its own contract for the problem's format; without one `o` is stored as q
  /// is, and the LSE in f64 for f64, else f32.
  [[nodiscard]] Observation run(const Problem& problem);
  /// Forgets what earlier calls left behind: the next one goes to a fresh process. False where that
  /// cannot be done (in this process).
  [[nodiscard]] virtual bool renew() { return false; }
};

/// A kernel of this process (level L0): built-in kernels and code that the user linked himself.
[[nodiscard]] std::unique_ptr<Candidate> in_process(const qkvet_candidate& table);

/// How to start a worker.
struct WorkerOptions {
  std::string worker;  ///< path of the qkvet-worker executable; empty = beside this binary
  std::string python = "python3";             ///< interpreter for py: candidates
  std::string preset = "sdpa";                ///< --like
  std::string tensors = "numpy";              ///< or "torch"
  std::vector<std::string> pass_environment;  ///< --env NAME
  double call_timeout_s = 10, load_timeout_s = 60;
};

/// A candidate in a worker process of its own (level L1): "./lib.so[:symbol]", "py:file.py:fn",
/// "py:pkg.mod:fn" or "builtin:NAME". Throws InputError(candidate_unusable or missing_input) with
/// the loader's words if it cannot be loaded.
[[nodiscard]] std::unique_ptr<Candidate> in_worker(const std::string& spec,
                                                   const WorkerOptions& options);

}  // namespace qkvet
