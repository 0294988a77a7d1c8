// fully_masked: a row without keys never yields what its contract does not name (a NaN above all),
// nor touches others.
#include <cmath>

#include "fuzz/kernel_target.hpp"

namespace qkvet::fuzz {
namespace {

Domain with_empty_rows(Domain domain) {
  domain.empty_rows = Allow::must;
  domain.B.min = domain.H_q.min = domain.H_kv.min = domain.L.min = domain.d_v.min = 1;
  domain.nonfinite = Allow::never;
  return domain;
}

bool sees_a_key(const Problem& p, std::int64_t b, std::int64_t h, std::int64_t i) {
  for (std::int64_t j = 0; j < p.shape.S; ++j) {
    if (visible(p, b, h, i, j)) return true;
  }
  return false;
}

/// Calls fn(row, first output of the row, empty) for every row.
template <class Fn>
void each_row(const Problem& p, Fn&& fn) {
  std::size_t row = 0;
  for (std::int64_t b = 0; b < p.shape.B; ++b)
    for (std::int64_t h = 0; h < p.shape.H_q; ++h)
      for (std::int64_t i = 0; i < p.shape.L; ++i, ++row) {
        fn(p.q.index(b, h, i, 0), row * static_cast<std::size_t>(p.shape.d_v),
           !sees_a_key(p, b, h, i));
      }
}

/// Are all empty rows exactly zero, and all other rows numbers?
bool looks_right(const Problem& problem, const Seen& seen) {
  if (seen.status != RunStatus::ok || seen.faults) return false;
  bool right = true;
  each_row(problem, [&](std::size_t, std::size_t first, bool empty) {
    for (std::int64_t d = 0; d < problem.shape.d_v; ++d) {
      const double x = seen.o[first + static_cast<std::size_t>(d)];
      right = right && (empty ? std::fabs(x) <= 0 : std::isfinite(x));
    }
  });
  return right;
}

/// The same problem with other queries in the empty rows: no other row may notice.
Problem other_queries(const Problem& problem) {
  Problem other = problem;
  other.layouts.q = {};
  each_row(problem, [&](std::size_t query, std::size_t, bool empty) {
    for (std::int64_t c = 0; empty && c < problem.shape.d_k; ++c) {
      std::uint64_t& bits = other.q.bits[query + static_cast<std::size_t>(c)];
      bits = encode(other.format, c % 2 == 0 ? 3.0 : -2.0);
    }
  });
  return other;
}

void judge(Subject& subject, const Contract& contract, const Problem& problem, std::uint64_t) {
  const Seen first = subject.call().run(problem, contract);
  const Seen& second = subject.call().run(other_queries(problem), contract);
  const bool zero = contract.semantics.empty_row == Semantics::EmptyRow::zero;
  const bool same = contract.promises.row && first.o == second.o;
  if (zero && same && looks_right(problem, first)) return;
  must_hold(subject, problem, "empty-row");
  must_hold(subject, problem, "matches-reference");
}

}  // namespace

const KernelTarget kernel_target{"fully_masked", with_empty_rows, 1, nullptr, judge};

}  // namespace qkvet::fuzz
