// The certified ladder: outputs, log-sum-exp and weights, proven to be correctly rounded to a
// storage format. docs/ladder.md has the proofs.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <qkvet/contract/contract.hpp>
#include <qkvet/loops/kernels.hpp>
#include <qkvet/ladder/rounded_row.hpp>
#include <qkvet/problem/problem.hpp>

namespace qkvet {

struct LadderOptions {
  Format format = Format::binary32;         ///< of the answer
  bool weights = false;                     ///< answer the softmax weights too
  const loops::Kernels* kernels = nullptr; ///< absent: the fastest path of this processor
  Step from = Step::first;                  ///< the first rung that is tried: tests and benchmarks
};

/// Rounds rows of one problem. Ask rows in order (b, h, i): up to 32 queries are computed together and
/// the decoded head is kept. The floating-point environment is set to the default during each call
/// and restored after it. Requires: a valid `problem`, which outlives the ladder.
class Ladder {
 public:
  Ladder(const Problem& problem, const Semantics& semantics, const LadderOptions& options);
  ~Ladder();
  Ladder(Ladder&&) noexcept;
  Ladder& operator=(Ladder&&) noexcept;

  /// The row's values; the reference is good until the next call.
  [[nodiscard]] const RoundedRow& row(std::int64_t b, std::int64_t h, std::int64_t i);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace qkvet
