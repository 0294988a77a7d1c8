// From bounds to allowed sets, for rows with visible keys.  docs/bounds.md 2, 5.5, 6 and 7
#include <algorithm>
#include <cmath>
#include <qkvet/bound/admissible.hpp>
#include <qkvet/bound/admitter.hpp>
#include <qkvet/num/float_environment.hpp>

namespace qkvet {
namespace bound {
namespace {

Place nothing_to_check(bool vacuous = false) {
  Place place;
  place.vacuous = vacuous;
  place.kind = PlaceKind::uncheckable;
  place.anything = true;
  return place;
}

Place around(const Interval& exact, double radius) {
  Place place;
  place.exact = exact;
  place.radius = radius;
  place.allowed = {add_down(exact.lo, -radius), add_up(exact.hi, radius)};
  return place;
}

Interval scaled(const Interval& x, double low, double high) {
  const Interval factor{low, high};
  const double ends[] = {x.lo * factor.lo, x.lo * factor.hi, x.hi * factor.lo, x.hi * factor.hi};
  return {add_down(*std::min_element(std::begin(ends), std::end(ends)), 0),
          add_up(*std::max_element(std::begin(ends), std::end(ends)), 0)};
}

}  // namespace

Place Admitter::live_column(const RowBound& bound, const ColumnSums& sums, bool overflows,
                            const Row& row, std::int64_t d) const {
  const auto at = static_cast<std::size_t>(d);
  const ColumnFacts& facts = row.enclosure.columns[at];
  if (facts.visible_nan) return nan_column(bound, row, d);
  const Uncentred open{bound.ell, bound.z, bound.top_weight};
  if (facts.visible_inf) return exempt(row, d, open);
  if (facts.hidden_nonfinite && !contract_.promises.selection) return exempt(row, d, open);
  // Where sums carry no bound, that they may overflow says nothing either.
  const bool vacuous = !bound.nu_max.is_finite() || !bound.mu_max.is_finite();
  if (overflows || hidden_overflow(bound.letters, row, d)) return nothing_to_check(vacuous);
  const ColumnBound column = column_bound(bound, sums, values_.v.data(), problem_.shape.d_v, d);
  if (!column.det.is_finite()) return nothing_to_check(column.vacuous);
  Interval exact = row.enclosure.o[at];
  exact = {std::max(exact.lo, column.low), std::min(exact.hi, column.high)};
  Place place = around(exact, column.det.value());
  if (column.by_hull) place.kind = PlaceKind::hull;
  if (column.hull.is_finite()) {
    place.allowed = {std::max(place.allowed.lo, add_down(column.low, -column.hull.value())),
                     std::min(place.allowed.hi, add_up(column.high, column.hull.value()))};
  }
  return place;
}

/// docs/bounds.md 2.3: due where the weight of a NaN cannot vanish, if the contract says so.
Place Admitter::nan_column(const RowBound& bound, const Row& row, std::int64_t d) const {
  if (contract_.semantics.visible_nan == Semantics::VisibleNan::due) {
    for (const KeyBound& key : bound.keys) {
      if (key.sink || !(key.p.lo > bound.lost.value())) continue;
      const double v = problem_.v.value(row.b, problem_.shape.kv_head(row.h), key.key, d);
      if (std::isnan(v)) return due_nan();
    }
  }
  return exempt(row, d, {bound.ell, bound.z, bound.top_weight});
}

Place Admitter::lse_place(const RowBound& bound, const RowTrace& trace) const {
  if (bound.lse_uncheckable) return nothing_to_check();
  const Semantics& s = contract_.semantics;
  const bool sink = bound.keys.back().sink;
  std::vector<Alternative> sets;
  bool vacuous = false;
  const auto add = [&](bool with_sink) {
    const Interval& exact = with_sink ? trace.lse : trace.lse_without_sink;
    const Mag radius = lse_radius(bound, with_sink, exact);
    vacuous = vacuous || !radius.is_finite();
    if (!radius.is_finite() ||
        !((Mag{exact.magnitude()} + radius).value() <= bound.letters.max_lse)) {
      return false;
    }
    if (s.lse_base != Semantics::LseBase::two) {
      sets.push_back({exact, radius.value(), around(exact, radius.value()).allowed});
    }
    if (s.lse_base != Semantics::LseBase::e) {
      // docs/bounds.md 7.2: log2 e lies between these neighbours.
      const Interval two = scaled(exact, 0x1.71547652b82fep+0, 0x1.71547652b82ffp+0);
      const double r = (radius * Mag{0x1.71547652b82ffp+0}).value();
      sets.push_back({two, r, around(two, r).allowed});
    }
    return true;
  };
  bool known = true;
  if (!sink || s.lse_sink != Semantics::LseSink::excluded) known = add(true) && known;
  if (sink && s.lse_sink != Semantics::LseSink::included && bound.keys.size() > 1) {
    known = add(false) && known;
  }
  if (!known || sets.empty()) return nothing_to_check(vacuous);
  Place place;
  place.exact = sets.front().exact;
  place.radius = sets.front().radius;
  place.allowed = sets.front().allowed;
  place.also.assign(sets.begin() + 1, sets.end());
  return place;
}

Place Admitter::live_lse(const RowBound& bound, const Row& row) const {
  const bool moved = problem_.alibi_slopes &&
                     contract_.arithmetic.alibi_origin == Arithmetic::AlibiOrigin::first_key;
  return moved ? exempt_lse() : lse_place(bound, row.enclosure.trace);
}

std::vector<Place> Admitter::live(const Row& row) {
  const RowEnclosure& enclosure = row.enclosure;
  const std::int64_t d_v = problem_.shape.d_v;
  std::vector<Place> places;
  const RowBound bound = row_bound(problem_, contract_, enclosure, row.b, row.h, row.i);
  if (bound.uncheckable) {
    const bool vacuous = !bound.letters.dot_error.is_finite();
    places.assign(static_cast<std::size_t>(d_v) + 1, nothing_to_check(vacuous));
    return places;
  }
  if (enclosure.hidden_nonfinite && !contract_.promises.selection) {
    for (std::int64_t d = 0; d < d_v; ++d) {
      places.push_back(exempt(row, d, {bound.ell, bound.z, bound.top_weight}));
    }
    places.push_back(exempt_lse());
    return places;
  }
  const std::vector<ColumnSums> sums = column_sums(bound, values_.v.data(), d_v, enclosure.o);
  const std::vector<bool> overflows = column_overflows(bound, sums, values_.v.data());
  for (std::int64_t d = 0; d < d_v; ++d) {
    const auto at = static_cast<std::size_t>(d);
    places.push_back(live_column(bound, sums[at], overflows[at], row, d));
  }
  places.push_back(problem_.want_lse ? live_lse(bound, row) : Place{});
  return places;
}

}  // namespace bound

Admissible admit(const Problem& problem, const Contract& contract, Rung rung) {
  const DefaultFloatEnvironment environment;
  Admissible out;
  const Shape& shape = problem.shape;
  out.o.reserve(static_cast<std::size_t>(shape.outputs()));
  RowEncloser encloser(problem, contract.semantics, rung);
  bound::Admitter admitter(problem, contract);
  for (std::int64_t b = 0; b < shape.B; ++b) {
    for (std::int64_t h = 0; h < shape.H_q; ++h) {
      for (std::int64_t i = 0; i < shape.L; ++i) {
        std::vector<Place> places = admitter.row(encloser.row(b, h, i), b, h, i);
        if (problem.want_lse) out.lse.push_back(std::move(places.back()));
        places.pop_back();
        std::move(places.begin(), places.end(), std::back_inserter(out.o));
      }
    }
  }
  return out;
}

std::vector<Place> admit_row(const Problem& problem, const Contract& contract,
                             const RowEnclosure& row, std::int64_t b, std::int64_t h,
                             std::int64_t i) {
  const DefaultFloatEnvironment environment;
  return bound::Admitter(problem, contract).row(row, b, h, i);
}

}  // namespace qkvet
