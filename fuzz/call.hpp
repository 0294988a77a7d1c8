// One call of a kernel in memory that is kept: what a fuzzer does a hundred thousand times a
// second. The full guard (two poisons, repeated calls) is Candidate::run, which decides.
#pragma once

#include <qkvet/candidate/kernel.h>

#include <cstddef>
#include <qkvet/candidate/arena.hpp>
#include <qkvet/candidate/call.hpp>
#include <qkvet/contract/contract.hpp>
#include <vector>

namespace qkvet::fuzz {

/// What one call showed.
struct Seen {
  RunStatus status = RunStatus::ok;
  bool faults = false;      ///< memory or the floating-point state was touched
  std::vector<double> o;    ///< [B,H_q,L,d_v]; unwritten places are NaN
  std::vector<double> lse;  ///< [B,H_q,L], empty if the problem does not ask for it
};

class DirectCall {
 public:
  explicit DirectCall(const qkvet_candidate& table) : table_(table) {}

  /// Outputs in the formats of the contract. Valid until the next call. Under AddressSanitizer
  /// every byte around and between the tensors is poisoned while the kernel runs, if `fenced`.
  const Seen& run(const Problem& problem, const Contract& contract, bool fenced = false);

 private:
  void place_all();
  void fence(bool up) const;

  const qkvet_candidate& table_;
  Pieces pieces_;
  std::vector<std::byte> memory_;
  std::vector<std::int64_t> ranges_;
  std::vector<Fault> faults_;
  Seen seen_;
};

}  // namespace qkvet::fuzz
