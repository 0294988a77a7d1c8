// Steps 2 and 3: the range of each normalised weight, and what underflow can take.  docs/bounds.md
// 4
#include <algorithm>
#include <cmath>
#include <qkvet/bound/row_bound.hpp>

namespace qkvet::bound {
namespace {

/// docs/bounds.md 4.1: the computed maximum lies in [m - top, max (s + delta)].
Mag maximum_error(const RowBound& row) {
  double highest = -std::numeric_limits<double>::infinity();
  double surely = highest;
  for (const KeyBound& key : row.keys) {
    highest = std::max(highest, add_up(key.s.hi, key.delta.value()));
    if (!key.vanishes) surely = std::max(surely, add_down(key.s.lo, -key.delta.value()));
  }
  if (!(surely >= -std::numeric_limits<double>::max())) return Mag::infinity();
  return {std::max({0.0, add_up(highest, -row.m.lo), add_up(row.m.hi, -surely)})};
}

/// docs/bounds.md 4.2: only a key whose computed score may exceed that of j can rescale j, unless
/// every tile does.
void count_rescales(RowBound& row) {
  if (row.letters.drifts > 0) {
    for (KeyBound& key : row.keys) key.rescales = row.letters.drifts;
    return;
  }
  const double most = std::min(row.letters.rescales, row.letters.n - 1);
  if (!(most > 0)) return;
  std::vector<double> highest;
  highest.reserve(row.keys.size());
  for (const KeyBound& key : row.keys) highest.push_back(add_up(key.s.hi, key.delta.value()));
  std::sort(highest.begin(), highest.end());
  for (KeyBound& key : row.keys) {
    const double lowest = add_down(key.s.lo, -key.delta.value());
    const auto first = std::lower_bound(highest.begin(), highest.end(), lowest);
    const auto rank = static_cast<double>(highest.end() - first) - 1;  // not itself
    key.rescales = std::min(most, std::max(0.0, rank));
  }
}

/// docs/bounds.md 4.4: sum p e^delta and sum p e^-delta say how far the computed LSE can drift, and
/// how much weight a key can have in it.
void merge_term(RowBound& row) {
  const Letters& l = row.letters;
  if (!l.merges) return;
  Mag total;
  double surely = 0;
  std::vector<Mag> weights;
  weights.reserve(row.keys.size());
  for (const KeyBound& key : row.keys) {
    const double delta = key.delta.value();
    const Mag direct = mag_exp(add_up(add_up(key.s.hi, -row.lse.lo), delta));
    weights.push_back(min(Mag{key.p.hi} * mag_exp(delta), direct));
    total += weights.back();
    if (key.vanishes) continue;
    surely = down_add(surely, down_multiply(key.p.lo, down_exp(-delta)));
  }
  Mag mean, largest;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    mean += min(Mag{1.0}, divide(weights[j], surely)) * row.keys[j].x_constant;
    largest = max(largest, row.keys[j].x_constant);
  }
  const Mag log_n = mag_log(l.n);
  const Mag drift = max(mag_log(total.value()), mag_minus_log(surely));
  row.lse_size += min(drift, row.d_M + log_n);
  row.ell = l.u_S * (l.n_lse * (row.lse_size + Mag{2.0} * log_n) + Mag{2.0}) +
            l.eps_log * (Mag{2.0} * (log_n + Mag{1.0}) + row.tau) + min(mean, largest);
}

/// docs/bounds.md 4.3: d_j and its parts.
void exponent_error(const RowBound& row, KeyBound& key) {
  const Letters& l = row.letters;
  const Mag gap{std::max(0.0, add_up(row.m.hi, -key.s.lo))};
  at(key.parts, Part::argument) =
      Mag{l.words.argument_rounds} * l.u_S * (gap + key.delta + row.d_M + Mag{2.0} * row.tau) +
      Mag{2 + key.rescales} * l.eta_S;
  if (l.drifts > 0) {
    // docs/bounds.md 4.2: shifts lie between the key's own score and the maximum.
    const Mag shift =
        max(Mag{key.s.magnitude()} + key.delta + row.tau, Mag{row.m.magnitude()} + row.d_M);
    at(key.parts, Part::argument) += Mag{l.drifts} * l.u_S * shift;
  }
  at(key.parts, Part::exp) = Mag{1 + key.rescales + l.levels} * l.log_exp;
  if (l.merges) {
    const Mag size = max(Mag{key.s.magnitude()} + key.delta, row.lse_size);
    at(key.parts, Part::merge) = Mag{l.levels} * (l.n_lse * l.u_S * size + row.ell);
  }
  key.d = key.delta + at(key.parts, Part::argument) + at(key.parts, Part::exp) +
          at(key.parts, Part::merge);
  key.d_lse = key.d + key.x_constant;
}

/// docs/bounds.md 4.5: hi, lo and hi - p, without 0 * infinity; the rounding of the weight is kept
/// apart from p t, since it may or may not be shared.
void weight_range(const RowBound& row, KeyBound& key) {
  const Letters& l = row.letters;
  const Mag rounded = l.rounds_in_sum ? l.u_P : Mag{};
  const double d = key.d.value();
  const Mag p{key.p.hi};
  Mag excess = p * mag_expm1(key.d);
  Mag hi = p * mag_exp(d);
  if (d > 1) {
    hi = min(hi, mag_exp(add_up(add_up(key.s.hi, -row.lse.lo), d)));
    excess = min(excess, subtract(hi, key.p.lo));
  }
  key.rounding = hi * l.u_P;
  key.hi = (hi * (Mag{1.0} + rounded)).value();
  key.excess = excess;
  key.lo = down_multiply(down_multiply(key.p.lo, down_exp(-d)), detail::below(1 - rounded.value()));
  if (!key.vanishes) return;
  key.excess = max(key.excess, p);
  key.lo = 0;
}

/// docs/bounds.md 4.6: what underflow can take from one weight that is held in its format. In the
/// kernel's own scale a weight is at least `least` times lo; nothing is lost from the smallest
/// normal number on, and never more than the weight.
void held_weights(RowBound& row, double hi_sum) {
  const Letters& l = row.letters;
  if (l.w_P.is_zero()) return;
  const Mag unit = l.may_norm_first ? max(Mag{1.0}, divide(row.growth, row.L))
                                    : divide(row.growth, row.L);
  // Normalised: over a sum of at most hi_sum + mu_sum + lost; not: times L / growth.
  const Mag sum = Mag{hi_sum} + row.mu_sum + Mag{l.n} * row.lost;
  const double divided = l.eps_div.value() < 1 ? detail::below(1 - l.eps_div.value()) : 0;
  const double normalised = sum.is_finite() ? detail::below(divided / sum.value()) : 0;
  const double plain =
      row.growth.is_finite() ? detail::below(row.L / row.growth.value()) : 0;
  const double least = l.may_norm_first ? std::min(normalised, plain) : plain;
  for (KeyBound& key : row.keys) {
    if (key.sink || down_multiply(key.lo, least) >= l.least_P) continue;
    key.held = min(l.w_P * unit, Mag{key.hi});
    row.held += key.held;
  }
}

/// docs/bounds.md 4.6
void underflow(RowBound& row) {
  const Letters& l = row.letters;
  row.L = std::max(1.0, down_exp(add_down(row.lse.lo, -row.m.hi)));
  row.growth = mag_exp((row.d_M + row.z).value());
  const Mag weight = l.omega * Mag{1 + l.rescales} * mag_exp(l.tau.value()) * row.growth;
  row.lost = divide(weight, row.L);
}

}  // namespace

void weight_errors(const RowTrace& trace, RowBound& row) {
  const Letters& l = row.letters;
  row.m = trace.m;
  row.lse = trace.lse;
  row.lse_size = max(Mag{trace.lse.magnitude()}, Mag{trace.lse_without_sink.magnitude()});
  row.d_M = maximum_error(row);
  row.tau = l.tau;
  double key_max = -std::numeric_limits<double>::infinity();
  for (const KeyBound& key : row.keys) {
    if (!key.sink) key_max = std::max(key_max, add_down(key.s.lo, -key.delta.value()));
  }
  for (const KeyBound& key : row.keys) {
    // docs/bounds.md 4.1: a late sink may exceed the shift.
    if (key.sink && l.late_sink)
      row.tau = max(row.tau, Mag{std::max(0.0, add_up(key.s.hi, -key_max))});
  }
  row.z = l.fused
              ? gamma(Mag{l.words.score_rounds + 1} * l.u_S) * (Mag{row.m.magnitude()} + row.d_M)
              : Mag{};
  row.z += Mag{l.drifts} * l.u_S * (Mag{row.m.magnitude()} + row.d_M + row.tau);
  count_rescales(row);
  merge_term(row);
  underflow(row);
  const Mag n{l.n};
  double den = 0;
  Mag hi_sum;
  for (KeyBound& key : row.keys) {
    exponent_error(row, key);
    weight_range(row, key);
    key.nu = l.nu(key.rescales);
    key.mu = l.mu(key.rescales);
    row.nu_max = max(row.nu_max, key.nu);
    row.mu_max = max(row.mu_max, key.mu);
    row.excess_sum += key.excess;
    row.rounding_sum += key.rounding;
    hi_sum += Mag{key.hi};
    row.mu_sum += Mag{key.hi} * key.mu;
    row.most_rescales = std::max(row.most_rescales, key.rescales);
    if (key.mu.value() < 1) {
      den = down_add(den, down_multiply(key.lo, detail::below(1 - key.mu.value())));
    }
  }
  held_weights(row, hi_sum.value());
  row.den = down_subtract(den, n * row.lost + (l.rounds_in_sum ? row.held : Mag{}));
}

}  // namespace qkvet::bound
