// Steps 4 and 5: from weight ranges to the bound of one output column.  docs/bounds.md 5
#include <algorithm>
#include <cmath>
#include <qkvet/bound/row_bound.hpp>

namespace qkvet::bound {
namespace {

/// An upper bound of a sum of `n` products that was computed in plain doubles: at most three
/// roundings per summand and n - 1 adds, each at most 2^-53 relative, and 2^-1074 where a product
/// underflowed (taken as 2^-1000, since sums with subnormal numbers are slow).  docs/bounds.md 8.3
Mag plain_sum(double computed, double n) {
  return Mag{computed} * Mag{1 + (n + 8) * 0x1p-52} + Mag{n} * Mag{0x1p-1000};
}

/// The power of two with max |V| / unit in [1, 2); 1 for a column of zeros.
double unit_of(double size) {
  if (!(size > 0)) return 1;
  return std::ldexp(1.0, std::max(std::ilogb(size), -1022));
}

/// First pass: range and unit of each column.
void ranges(const RowBound& row, const double* v, std::size_t d_v, std::vector<ColumnSums>& out) {
  std::vector<double> low(d_v, std::numeric_limits<double>::infinity());
  std::vector<double> high(d_v, -std::numeric_limits<double>::infinity());
  for (const KeyBound& key : row.keys) {
    const double* const values = key.sink ? nullptr : v + static_cast<std::size_t>(key.key) * d_v;
    for (std::size_t d = 0; d < d_v; ++d) {
      const double x = key.sink ? 0.0 : values[d];
      low[d] = std::min(low[d], x);
      high[d] = std::max(high[d], x);
    }
  }
  for (std::size_t d = 0; d < d_v; ++d) {
    ColumnSums& column = out[d];
    column.size = std::max(std::fabs(low[d]), std::fabs(high[d]));
    column.unit = unit_of(column.size);
    column.low = low[d] / column.unit;
    column.high = high[d] / column.unit;
    column.size = std::max(std::fabs(column.low), std::fabs(column.high));
  }
}

/// The exact output in column units, cut to the hull that it lies in.
Interval in_units(const Interval& o, const ColumnSums& column) {
  const double lo = add_down(o.lo / column.unit, 0);
  const double hi = add_up(o.hi / column.unit, 0);
  if (!(column.low < column.high)) return {column.low, column.low};
  return {std::clamp(lo, column.low, column.high), std::clamp(hi, column.low, column.high)};
}

/// One in file units, in column units.
Mag eta_in(const ColumnSums& c) { return divide(Mag{1.0}, c.unit); }

/// docs/bounds.md 4.8: the roundings of the sum of P V where they happen, an add on a partial sum,
/// which is at most the sum of the terms of one sign; the others on single terms. Of hi |V|: its
/// sum, the sum of the terms of positive V, and that weighted with R_j.
Mag sum_error(const RowBound& row, Mag all, Mag positive, Mag rescaled) {
  const Letters& l = row.letters;
  if (l.words.adder_terms > 1 || !all.is_finite()) return Mag::infinity();
  // The negative part is the difference of two sums that were rounded up (8.3).
  const Mag negative =
      subtract(all * Mag{1 + (l.n + 8) * 0x1p-50} + Mag{l.n} * Mag{0x1p-996}, positive.value());
  const Mag adds = Mag{std::max(0.0, l.n - 1)} * min(all, max(positive, negative));
  const Mag each = l.per_rounding(l.chain + row.most_rescales + l.other_roundings());
  const Mag sum = each * (adds + rescaled + Mag{l.other_roundings()} * all);
  return sum + l.u_op * (all + sum);
}

/// docs/bounds.md 4.6: everything that underflow can take from numerator and denominator, in column
/// units.
Mag underflow(const RowBound& row, const ColumnSums& c, Mag o, Mag eta) {
  const Letters& l = row.letters;
  const Mag n{l.n};
  const Mag per_weight = row.lost * (c.absolute + n * o) + n * row.lost * o +
                         (l.rounds_in_sum ? row.held * o : Mag{});
  const Mag inputs = l.mu_v * eta_in(c) * (Mag{1.0} + row.excess_sum + row.rounding_sum);
  const Mag sums = Mag{2 * l.n + l.rescales + 2} * eta *
                   max(divide(row.growth, row.L), l.may_norm_first ? Mag{1.0} : Mag{});
  const Mag ends = Mag{2 + 2 * l.parts + 4 * l.tiles} * eta;
  const Mag merged = l.merges ? Mag{l.levels} * l.omega * c.absolute : Mag{};
  return per_weight + inputs + sums + ends + merged;
}

}  // namespace

std::vector<ColumnSums> column_sums(const RowBound& row, const double* v, std::int64_t columns,
                                    const std::vector<Interval>& o) {
  const auto d_v = static_cast<std::size_t>(columns);
  std::vector<ColumnSums> out(d_v);
  ranges(row, v, d_v, out);
  const Letters& l = row.letters;
  std::vector<double> centre(d_v), factor(d_v), centred(d_v, 0), nu(d_v, 0), absolute(d_v, 0),
      mean(d_v, 0), rounded(d_v, 0), plain(d_v, 0), positive(d_v, 0), rescaled(d_v, 0),
      held(d_v, 0);
  for (std::size_t d = 0; d < d_v; ++d) {
    out[d].o = in_units(o[d], out[d]);
    centre[d] = out[d].o.mid();
    factor[d] = 1 / out[d].unit;  // exact: both are powers of two
  }
  for (const KeyBound& key : row.keys) {
    if (key.sink) continue;
    const double* const values = v + static_cast<std::size_t>(key.key) * d_v;
    const double excess = key.excess.value(), p = key.p.hi;
    const double hi = key.hi, hi_nu = (Mag{hi} * key.nu).value(), below = key.held.value();
    const double hi_rescales = (Mag{hi} * Mag{key.rescales}).value();
    // docs/bounds.md 5.1: a rounded weight moves V - o if the sum shares it, else V itself.
    const double shared = l.rounds_in_sum ? key.rounding.value() : 0;
    const double alone =
        l.rounds_outside_sum ? (key.rounding * (Mag{1.0} + key.nu)).value() : 0;
    if (shared > 0 || alone > 0) {
      for (std::size_t d = 0; d < d_v; ++d) {
        const double x = values[d] * factor[d];
        rounded[d] += std::max(shared * std::fabs(x - centre[d]), alone * std::fabs(x));
      }
    }
    if (below > 0) {
      for (std::size_t d = 0; d < d_v; ++d) held[d] += below * std::fabs(values[d] * factor[d]);
    }
    if (hi_rescales > 0) {
      for (std::size_t d = 0; d < d_v; ++d) {
        rescaled[d] += hi_rescales * std::fabs(values[d] * factor[d]);
      }
    }
    for (std::size_t d = 0; d < d_v; ++d) {
      const double x = values[d] * factor[d];
      const double size = std::fabs(x);
      centred[d] += excess * std::fabs(x - centre[d]);
      nu[d] += hi_nu * size;
      plain[d] += hi * size;
      positive[d] += hi * std::max(x, 0.0);
      mean[d] += p * size;
      absolute[d] += size;
    }
  }
  const double n = row.letters.n;
  const KeyBound& last = row.keys.back();
  const Mag sink = last.sink ? last.excess + (l.rounds_in_sum ? last.rounding : Mag{}) : Mag{};
  const auto total = [n](double sum) {  // infinity * 0 = NaN: no bound
    return sum >= 0 ? plain_sum(sum, n) : Mag::infinity();
  };
  for (std::size_t d = 0; d < d_v; ++d) {
    ColumnSums& c = out[d];
    const Mag spread = max(Mag{std::max(0.0, add_up(c.o.hi, -centre[d]))},
                           Mag{std::max(0.0, add_up(centre[d], -c.o.lo))});
    c.centred = total(centred[d]) + sink * Mag{c.o.magnitude()};
    if (c.o.lo < c.o.hi) c.centred += (row.excess_sum + row.rounding_sum) * spread;
    c.rounded = total(rounded[d]);
    const Mag apart =
        sum_error(row, total(plain[d]), total(positive[d]), total(rescaled[d]));
    c.weighted_nu = min(total(nu[d]), apart) + total(held[d]);
    c.absolute = total(absolute[d]);
    c.mean_absolute = min(total(mean[d]), Mag{c.size});
  }
  return out;
}

Mag before_store(const Letters& l, Mag e, Mag o, Mag mean_absolute, Mag size, Mag eta_scale,
                 Mag ell) {
  e += l.eps_div * ((l.may_norm_first ? max(mean_absolute, o) : o) + e);
  if (l.merges) {
    const Mag levels{l.levels};
    e += levels * (l.u_part * (max(mean_absolute, o) + e) + l.eta_part * eta_scale);
    e += (o + e) * (levels * (mag_expm1(ell) + l.eps_exp)) +
         Mag{4.0} * levels * l.u_acc * (max(mean_absolute, o) + e);
    if (l.words.merge == Arithmetic::Merge::sigmoid) {
      e += (Mag{4.0} * levels + Mag{4.0}) * l.u_acc * size +
           Mag{4.0} * levels * l.eta_acc * eta_scale;
    }
  }
  return e;
}

Mag stored(const Letters& l, Mag e, Mag o, Mag eta_scale) {
  return e + max(l.u_out * (o + e), l.eta_out * eta_scale);
}

Mag hull_excess(const Letters& l, Mag size, Mag eta_scale, Mag ell, Mag z, Mag tau) {
  if (l.words.two_scores || l.words.merge == Arithmetic::Merge::sigmoid) return Mag::infinity();
  const Mag nu = l.nu_rounded(l.rescales), mu = l.mu(l.rescales);
  if (!(mu.value() < 1) || !(l.eps_exp.value() < 1)) return Mag::infinity();
  // The key of the maximum keeps a weight of at least e^-z (1 - eps_exp)(1 - mu).
  const double top = down_multiply(
      down_multiply(detail::below(1 - mu.value()), detail::below(1 - l.eps_exp.value())),
      down_exp(-z.value()));
  const Mag n{l.n};
  const Mag eta = l.eta_acc * eta_scale;
  const Mag weights = n * (l.omega * Mag{1 + l.rescales} * mag_exp(tau.value()) + l.w_P) * size;
  const Mag lost = divide(Mag{2.0} * weights + Mag{2 * l.n + l.rescales + 2} * eta, top) +
                   l.mu_v * eta_scale * divide(Mag{1.0} + nu, detail::below(1 - mu.value())) +
                   n * l.w_P * size + Mag{2 + 2 * l.parts + 4 * l.tiles} * eta +
                   (l.merges ? Mag{l.levels} * l.omega * n * size : Mag{});
  const Mag e = divide((nu + mu) * size, detail::below(1 - mu.value())) + lost;
  return before_store(l, e, size, size, size, eta_scale, ell);
}

ColumnBound column_bound(const RowBound& row, const ColumnSums& c, const double* v,
                         std::int64_t d_v, std::int64_t column) {
  const Letters& l = row.letters;
  const Mag o{c.o.magnitude()}, size{c.size}, eta_scale = eta_in(c), unit{c.unit};
  const Mag z = underflow(row, c, o, l.eta_acc * eta_scale);
  ColumnBound out;
  out.low = c.low * c.unit;
  out.high = c.high * c.unit;
  const Mag range{std::max(0.0, add_up(c.high, -c.low))};

  // docs/bounds.md 5.1
  Mag numerator = c.centred + c.weighted_nu + c.rounded + o * row.mu_sum + z;
  if (l.words.two_scores) numerator += Mag{2.0} * o * row.excess_sum;
  const Mag simple = divide(numerator, row.den);
  // docs/bounds.md 5.2. Skipping the box is only looser: it is worth its sort where the simple form
  // comes near to the range that the box can never exceed.
  Mag box = Mag::infinity();
  if (!(simple.value() < 0.0625 * range.value()) && row.mu_max.value() < 1) {
    std::vector<BoxItem> items;
    Mag d_max;
    for (const KeyBound& key : row.keys) {
      const double x =
          key.sink ? 0.0 : v[static_cast<std::size_t>(key.key * d_v + column)] / c.unit;
      items.push_back({x, key.lo, key.hi});
      d_max = max(d_max, key.d);
    }
    const Interval mean = box_range(std::move(items));
    const Mag h{std::max({0.0, add_up(mean.hi, -c.o.lo), add_up(c.o.hi, -mean.lo)})};
    const double left = detail::below(1 - row.mu_max.value());
    const Mag nu = l.rounds_outside_sum ? compound(row.nu_max, l.u_P) : row.nu_max;
    box = divide(h + nu * size + row.mu_max * (o + h), left) +
          divide(z + row.held * size, row.den);
    if (l.words.two_scores) box += (o + h) * mag_expm1(Mag{2.0} * d_max);
  }
  const Mag e = min(simple, box);
  const Mag outside = hull_excess(l, size, eta_scale, row.ell, row.z, l.tau);
  const Mag computed = before_store(l, e, o, c.mean_absolute, size, eta_scale, row.ell);
  const Mag hull = stored(l, outside, size, eta_scale);
  const Mag det = min(stored(l, computed, o, eta_scale), range + hull);
  // docs/bounds.md 5.5
  const Mag wide = max(range, size);
  out.by_hull = c.size > 0 && det.value() >= wide.value();
  out.simple = simple * unit;
  out.box = box * unit;
  out.hull = hull * unit;
  out.det = det * unit;
  out.vacuous = !det.is_finite();
  // An output, or the output of a part, that its format may round to infinity.
  const Mag farthest = min(o + computed, size + outside);
  if (!((farthest * unit).value() < l.border_out)) out.det = Mag::infinity();
  if (l.merges && !(((size + outside) * unit).value() < l.border_part)) out.det = Mag::infinity();
  return out;
}

}  // namespace qkvet::bound
