// layout: strides, offsets, alignment and ragged sizes. Every byte beside a tensor and between its
// elements is fenced while the kernel runs (under AddressSanitizer), and the layout must not show
// in the values.
#include <algorithm>
#include <cmath>

#include "fuzz/kernel_target.hpp"
#include "fuzz/screen.hpp"

namespace qkvet::fuzz {
namespace {

Domain strided(Domain domain) {
  domain.strided = Allow::must;
  domain.nonfinite = Allow::never;
  return domain;
}

/// Equal, or both NaN.
bool same_values(const std::vector<double>& a, const std::vector<double>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](double x, double y) {
    return std::isnan(x) ? std::isnan(y) : x <= y && x >= y;
  });
}

void judge(Subject& subject, const Contract& contract, const Problem& problem, std::uint64_t) {
  static Screen screen;
  const Seen first = subject.call().run(problem, contract, true);
  if (!screen.accepts(problem, contract, first)) {
    must_hold(subject, problem, "matches-reference");
  }
  if (!contract.promises.layout) return;
  Problem plain = problem;
  plain.layouts = {};
  const Seen& second = subject.call().run(plain, contract, true);
  if (same_values(first.o, second.o) && same_values(first.lse, second.lse)) return;
  found(subject, problem, {},
        "FAIL layout: other values than with contiguous tensors, although the contract promises "
        "equal bits (promises, layout = yes)");
}

}  // namespace

const KernelTarget kernel_target{"layout", strided, 1, nullptr, judge};

}  // namespace qkvet::fuzz
