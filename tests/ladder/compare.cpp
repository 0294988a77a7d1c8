#include "compare.hpp"

#include <cmath>
#include <qkvet/oracle/oracle.hpp>

#include "nearest.hpp"

namespace qkvet::test {
namespace {

struct Place {
  Stratum stratum;
  Format input, format;
  std::uint64_t seed;
  std::int64_t i;
};

void complain(Counts& counts, const Place& at, std::size_t value, const std::string& words) {
  if (!counts.complaint.empty()) return;
  counts.complaint = std::string(name(at.stratum)) + " " + std::string(info(at.input).name) +
                     " to " + std::string(info(at.format).name) + ", seed " +
                     std::to_string(at.seed) + ", row " + std::to_string(at.i) + ", value " +
                     std::to_string(value) + ": " + words;
}

// Both ends of the interval round to the answer, or one of them does.
bool arb_agrees(const Interval& exact, const Rounded& got, Format format, Counts& counts) {
  const std::uint64_t low = encode(format, exact.lo), high = encode(format, exact.hi);
  if (same_bits(low, high)) {
    ++counts.decided_by_arb_doubles;
    return same_bits(got.bits, low);
  }
  // Between two numbers, or at a zero: the answer is one of the values in between.
  const double x = decode(format, got.bits);
  return decode(format, low) <= x && x <= decode(format, high);
}

}  // namespace

void compare(Stratum stratum, Format input, Format format, std::uint64_t seed, Counts& counts) {
  const Problem problem = hostile_problem(stratum, input, seed);
  Semantics semantics;
  if (seed % 3 == 1) semantics.cap_order = Semantics::CapOrder::bias_then_cap;
  LadderOptions options;
  options.format = format;
  options.weights = true;
  Ladder ladder(problem, semantics, options);
  RowEncloser arb(problem, semantics, Rung::arb);
  for (std::int64_t i = 0; i < problem.shape.L; ++i) {
    const Place at{stratum, input, format, seed, i};
    const RoundedRow& row = ladder.row(0, 0, i);
    const RowEnclosure exact = arb.row(0, 0, i);
    if (row.row_class != exact.row_class) complain(counts, at, 0, "another class than Arb's");
    if (row.row_class != RowClass::live) continue;
    const MpfrRow mpfr(problem, semantics, 0, 0, i, stratum == Stratum::wide ? 4800 : 512);
    const std::size_t d_v = row.o.size();
    for (std::size_t n = 0; n < d_v + 1 + row.weights.size(); ++n) {
      const Rounded& got = n < d_v ? row.o[n] : n == d_v ? row.lse : row.weights[n - d_v - 1];
      const Interval& interval = n < d_v    ? exact.o[n]
                                 : n == d_v ? exact.trace.lse
                                            : exact.trace.keys[n - d_v - 1].weight;
      ++counts.values;
      counts.outputs += n < d_v ? 1 : 0;
      ++counts.by_step[static_cast<std::size_t>(got.step)];
      if (got.step == Step::undecided || got.step == Step::undefined) {
        complain(counts, at, n, "not decided: " + mpfr.text(n));
      } else if (!arb_agrees(interval, got, format, counts)) {
        complain(counts, at, n, "not what Arb says: " + mpfr.text(n));
      } else if (!mpfr.nearest(n, format, got.bits)) {
        complain(counts, at, n, "not nearest by MPFR: " + mpfr.text(n) + " got " +
                                    std::to_string(decode(format, got.bits)));
      }
    }
  }
}

}  // namespace qkvet::test
