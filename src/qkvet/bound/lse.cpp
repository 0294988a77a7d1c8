// The bound of the LSE output.  docs/bounds.md 7
#include <algorithm>
#include <cmath>
#include <qkvet/bound/row_bound.hpp>

namespace qkvet::bound {
namespace {

/// The weight of a key among those that count. With every key it is the trace's; without the sink
/// it is formed from the scores.
Interval weight(const RowBound& row, const KeyBound& key, bool all, const Interval& lse) {
  if (all || !row.keys.back().sink) return key.p;
  const double hi = mag_exp(add_up(key.s.hi, -lse.lo)).value();
  return {std::min(1.0, down_exp(add_down(key.s.lo, -lse.hi))), std::min(1.0, hi)};
}

/// Bounds |ln(computed sum / exact sum)|; the exact weights sum to 1. `lead`: by how much the LSE
/// of the whole row, in whose scale underflow is known, exceeds this one.  docs/bounds.md 7.1
Mag sum_error(const RowBound& row, bool all, const Interval& lse, Mag lead) {
  const Letters& l = row.letters;
  const Mag rounded = l.rounds_in_sum ? l.u_P : Mag{};
  const Mag lost =
      (Mag{l.n} * row.lost + (l.rounds_in_sum ? row.held : Mag{})) * mag_exp(lead.value());
  Mag above, below = lost;
  double lowest = 0;
  for (const KeyBound& key : row.keys) {
    if (key.sink && !all) continue;
    const Interval p = weight(row, key, all, lse);
    above += Mag{p.hi} * compound(compound(mag_expm1(key.d_lse), rounded), key.mu);
    if (!(key.mu.value() < 1)) return Mag::infinity();
    if (key.vanishes) {
      below += Mag{p.hi};
      continue;
    }
    below += Mag{p.hi} * (mag_one_minus_exp(key.d_lse) + rounded + key.mu);
    const double least = down_multiply(p.lo, down_exp(-key.d_lse.value()));
    lowest =
        down_add(lowest, down_multiply(down_multiply(least, detail::below(1 - rounded.value())),
                                       detail::below(1 - key.mu.value())));
  }
  lowest = down_subtract(lowest, lost);
  const Mag up = mag_log1p(above);
  const Mag near = below.value() < 1 ? mag_log1p(divide(below, detail::below(1 - below.value())))
                                     : Mag::infinity();
  return max(up, min(near, mag_minus_log(lowest)));
}

}  // namespace

Mag lse_radius(const RowBound& row, bool with_sink, const Interval& exact) {
  const Letters& l = row.letters;
  const Mag lead{with_sink ? 0.0 : std::max(0.0, add_up(row.lse.hi, -exact.lo))};
  const Mag base = sum_error(row, with_sink, exact, lead);
  const Mag size{exact.magnitude()};
  const Mag m{std::max(row.m.magnitude(), size.value())};
  const Mag levels{l.merges ? 2 * l.levels : 1};
  const Mag log_n = mag_log(l.n) + Mag{1.0} + row.tau + lead;
  Mag radius = base + Mag{2.0} * l.u_S * (size + m + row.d_M + base) * levels +
               (l.eps_log + l.u_S) * (log_n + base) + Mag{2.0} * l.eta_S;
  if (l.merges) radius += levels * l.eps_exp + gamma(Mag{l.n} * l.u_S);
  return radius + l.u_lse * (size + radius) + l.eta_lse;
}

}  // namespace qkvet::bound
