// Allowed sets that need no error analysis: empty rows, NaN and infinities, what a contract leaves
// open. docs/bounds.md 2
#include <algorithm>
#include <cmath>
#include <qkvet/bound/admitter.hpp>

namespace qkvet::bound {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Place uncheckable() {
  Place place;
  place.kind = PlaceKind::uncheckable;
  place.anything = true;
  return place;
}

Place exactly_zero() {
  Place place;
  place.kind = PlaceKind::exact;
  place.exact = place.allowed = {0, 0};
  return place;
}

/// True if some visible key has a finite score.
bool sees_finite(const RowTrace& trace) {
  return std::any_of(trace.keys.begin(), trace.keys.end(),
                     [](const KeyTrace& key) { return key.visible && !key.sink && key.finite; });
}

/// docs/bounds.md 5.5: the format of the output, or of a part, may round it to infinity.
bool store_overflows(const Letters& l, Mag farthest) {
  return !(farthest.value() < l.border_out) || (l.merges && !(farthest.value() < l.border_part));
}

}  // namespace

Place due_nan() {
  Place place;
  place.kind = PlaceKind::exact;
  place.allowed = {infinity, -infinity};
  place.nan = true;
  return place;
}

Place exempt_lse() {
  Place place;
  place.kind = PlaceKind::exempt;
  place.nan = place.plus_inf = place.minus_inf = place.zero = true;
  return place;
}

Admitter::Admitter(const Problem& problem, const Contract& contract)
    : problem_(problem), contract_(contract) {
  const auto look = [&](const Tensor& tensor) {
    for (const std::uint64_t bits : tensor.bits) {
      infinite_ = infinite_ || is_infinite(tensor.format, bits);
    }
  };
  look(problem.q);
  look(problem.k);
  look(problem.v);
  if (problem.mask.bias) look(*problem.mask.bias);
  if (problem.sinks) look(*problem.sinks);
}

void Admitter::decode(std::int64_t b, std::int64_t head) {
  if (values_.b == b && values_.head == head) return;
  const std::int64_t S = problem_.shape.S, columns = problem_.shape.d_v;
  const auto d_v = static_cast<std::size_t>(columns);
  values_ = Values{b, head, {}, {}, {}, {}, {}, {}, {}};
  values_.v.resize(static_cast<std::size_t>(S) * d_v);
  values_.low.assign(d_v, infinity);
  values_.high.assign(d_v, -infinity);
  values_.absolute.assign(d_v, Mag{});
  values_.below.assign(d_v, Mag{});
  values_.above.assign(d_v, Mag{});
  values_.nonfinite.assign(d_v, false);
  for (std::int64_t j = 0; j < S; ++j) {
    for (std::int64_t c = 0; c < columns; ++c) {
      const auto d = static_cast<std::size_t>(c);
      const double x = problem_.v.value(b, head, j, c);
      if (!std::isfinite(x)) {
        values_.nonfinite[d] = true;
        continue;
      }
      values_.v[static_cast<std::size_t>(j) * d_v + d] = x;
      values_.low[d] = std::min(values_.low[d], x);
      values_.high[d] = std::max(values_.high[d], x);
      values_.absolute[d] += Mag{std::fabs(x)};
      (x < 0 ? values_.below : values_.above)[d] += Mag{std::fabs(x)};
    }
  }
  for (std::size_t d = 0; d < d_v; ++d) {
    if (!(values_.low[d] <= values_.high[d])) values_.low[d] = values_.high[d] = 0;
  }
}

/// docs/bounds.md 2.4: the hull of V; a sink puts 0 into it. In an empty row (or one whose visible
/// scores may all be -inf by data) of a kernel that hides by a finite score all keys score the
/// same, a tile's padding too, and merges through an LSE of that size do not normalise: sums of
/// weights of at most 1 each.
Interval Admitter::open_hull(const Row& row, std::size_t d) const {
  const Arithmetic& words = contract_.arithmetic;
  const bool finite =
      words.mask_by == Arithmetic::MaskBy::finite || words.mask_by == Arithmetic::MaskBy::any;
  const bool sentinel = finite && !sees_finite(row.enclosure.trace);
  if (sentinel && words.merge != Arithmetic::Merge::none) {
    return {-values_.below[d].value(), values_.above[d].value()};
  }
  const Interval hull{values_.low[d], values_.high[d]};
  if (!sentinel && !has_sink(problem_, row.h)) return hull;
  return {std::min(0.0, hull.lo), std::max(0.0, hull.hi)};
}

/// docs/bounds.md 2.4: written with 0, NaN, an infinity if an input holds one or the format of the
/// output or of a part is left, or a value in the open hull.
Place Admitter::exempt(const Row& row, std::int64_t column, const Uncentred& u) const {
  const auto d = static_cast<std::size_t>(column);
  const Letters letters = letters_of(contract_.arithmetic, problem_.shape, problem_.shape.S + 1);
  // A place that is open for another reason may overflow as any other.
  const Mag most = u.top * (Mag{1.0} + letters.nu_rounded(letters.rescales)) * values_.absolute[d];
  if (!(most.value() <= letters.max_acc)) return uncheckable();
  const auto [low, high] = open_hull(row, d);
  Place place;
  place.kind = PlaceKind::exempt;
  place.nan = place.zero = true;
  const Mag size{std::max(std::fabs(low), std::fabs(high))};
  const Mag outside = hull_excess(letters, size, Mag{1.0}, u.ell, u.z, letters.tau);
  const Mag excess = stored(letters, outside, size, Mag{1.0});
  // An infinity of the inputs has the sign of a product.
  place.plus_inf = infinite_ || store_overflows(letters, Mag{std::max(0.0, high)} + outside);
  place.minus_inf = infinite_ || store_overflows(letters, Mag{std::max(0.0, -low)} + outside);
  place.allowed = {add_down(low, -excess.value()), add_up(high, excess.value())};
  return place;
}

/// What merges and a fused shift can do in a row that has nonfinite scores beside finite ones.
Uncentred Admitter::uncentred_of(const Row& row) const {
  const RowTrace& trace = row.enclosure.trace;
  Mag size{problem_.softcap};
  for (const KeyTrace& key : trace.keys) {
    if (!key.visible || !key.finite) continue;
    Mag score = key.sink ? Mag{key.x.magnitude()} : Mag{trace.scale.magnitude()} * Mag{key.A};
    const double bias = key.bias.magnitude();
    if (bias <= std::numeric_limits<double>::max()) score += Mag{bias};
    size = max(size, score);
  }
  return uncentred(letters_of(contract_.arithmetic, problem_.shape, problem_.shape.S + 1), size,
                   has_sink(problem_, row.h));
}

/// The mean of V over all S keys: equal weights, so that only sums and the division round.
Place Admitter::mean(const Letters& letters, const Row& row, std::int64_t column) const {
  const auto d = static_cast<std::size_t>(column);
  const std::int64_t S = problem_.shape.S;
  if (S == 0 || values_.nonfinite[d]) return exempt(row, column, {});
  Interval sum{0, 0};
  for (std::int64_t j = 0; j < S; ++j) {
    const double x = values_.v[static_cast<std::size_t>(j * problem_.shape.d_v + column)];
    sum = {add_down(sum.lo, x), add_up(sum.hi, x)};
  }
  const double n = static_cast<double>(S);
  Place place;
  place.exact = {add_down(sum.lo / n, 0), add_up(sum.hi / n, 0)};
  const Mag size{std::max(std::fabs(values_.low[d]), std::fabs(values_.high[d]))};
  const Mag outside = hull_excess(letters, size, Mag{1.0}, Mag{}, Mag{}, letters.tau);
  const Mag radius = stored(letters, outside, size, Mag{1.0});
  // Sums and stores overflow here as in any other row.
  const Mag most = mag_exp(letters.tau.value()) * (Mag{1.0} + letters.eps_exp) *
                   (Mag{1.0} + letters.nu_rounded(letters.rescales)) * values_.absolute[d];
  if (!radius.is_finite() || !(most.value() <= letters.max_acc) ||
      store_overflows(letters, size + outside)) {
    return uncheckable();
  }
  place.radius = radius.value();
  place.allowed = {add_down(place.exact.lo, -place.radius), add_up(place.exact.hi, place.radius)};
  return place;
}

bool Admitter::hidden_overflow(const Letters& letters, const Row& row, std::int64_t column) const {
  const auto d = static_cast<std::size_t>(column);
  const Mag most{std::max(std::fabs(values_.low[d]), std::fabs(values_.high[d]))};
  if (!hidden_values_overflow(letters, contract_, values_.absolute[d], most)) return false;
  Mag hidden, largest;
  for (const KeyTrace& key : row.enclosure.trace.keys) {
    if (key.visible || key.sink) continue;
    const Mag size{
        std::fabs(values_.v[static_cast<std::size_t>(key.key * problem_.shape.d_v + column)])};
    hidden += size;
    largest = max(largest, size);
  }
  return hidden_values_overflow(letters, contract_, hidden, largest);
}

/// docs/bounds.md 2.1
Place Admitter::empty_column(const Letters& letters, const Row& row, std::int64_t d) const {
  const ColumnFacts& facts = row.enclosure.columns[static_cast<std::size_t>(d)];
  if (facts.hidden_nonfinite && !contract_.promises.selection) return exempt(row, d, {});
  if (hidden_overflow(letters, row, d)) return uncheckable();
  if (has_sink(problem_, row.h)) return exactly_zero();
  switch (contract_.semantics.empty_row) {
    case Semantics::EmptyRow::zero:
      return exactly_zero();
    case Semantics::EmptyRow::nan:
      return due_nan();
    case Semantics::EmptyRow::mean:
      return mean(letters, row, d);
    case Semantics::EmptyRow::exempt:
      break;
  }
  return exempt(row, d, {});
}

Place Admitter::empty_lse() const {
  Place place;
  place.kind = PlaceKind::exact;
  place.allowed = {infinity, -infinity};
  switch (contract_.semantics.empty_lse) {
    case Semantics::EmptyLse::minus_inf:
      place.minus_inf = true;
      return place;
    case Semantics::EmptyLse::plus_inf:
      place.plus_inf = true;
      return place;
    case Semantics::EmptyLse::zero:
      return exactly_zero();
    case Semantics::EmptyLse::exempt:
      break;
  }
  return exempt_lse();
}

/// docs/bounds.md 2.2: a sink alone: one weight of 1, so that the LSE is the sink up to its own
/// roundings.
Place Admitter::sink_lse(const Row& row) const {
  const bool excluded = contract_.semantics.lse_sink == Semantics::LseSink::excluded;
  if (excluded) return empty_lse();
  RowEnclosure alone;
  alone.trace = row.enclosure.trace;
  alone.trace.keys = {row.enclosure.trace.keys.back()};
  KeyTrace& sink = alone.trace.keys.back();
  const double logit = problem_.sinks->value(row.h, 0, 0, 0);
  sink.visible = true;
  sink.x = sink.s = {logit, logit};
  sink.weight = {1, 1};
  alone.trace.m = alone.trace.lse = alone.trace.lse_without_sink = {logit, logit};
  alone.trace.n = 1;
  const RowBound bound = row_bound(problem_, contract_, alone, row.b, row.h, row.i);
  Place place = lse_place(bound, alone.trace);
  if (contract_.semantics.lse_sink == Semantics::LseSink::exempt) {
    const Place none = empty_lse();
    if (none.kind == PlaceKind::exempt) return none;
    place.minus_inf = none.minus_inf;
    place.plus_inf = none.plus_inf;
    place.zero = contract_.semantics.empty_lse == Semantics::EmptyLse::zero;
  }
  return place;
}

std::vector<Place> Admitter::empty(const Row& row) const {
  const RowEnclosure& enclosure = row.enclosure;
  const std::int64_t d_v = problem_.shape.d_v;
  const Letters letters = letters_of(contract_.arithmetic, problem_.shape,
                                     std::max<std::int64_t>(1, problem_.shape.S + 1));
  const bool poisoned =
      enclosure.hidden_nonfinite || enclosure.visible_nan || enclosure.visible_inf;
  const RowFacts facts =
      row_facts(problem_, contract_, enclosure.trace, letters, row.b, row.h, row.i);
  const bool read = !contract_.promises.selection &&
                    contract_.arithmetic.mask_by != Arithmetic::MaskBy::exclusion;
  const bool overflows =
      read && product_overflow(problem_, contract_, enclosure.trace, letters, facts).has_value();
  std::vector<Place> places;
  for (std::int64_t d = 0; d < d_v; ++d) {
    if (poisoned && !contract_.promises.selection) {
      places.push_back(exempt(row, d, {}));
    } else {
      places.push_back(overflows ? uncheckable() : empty_column(letters, row, d));
    }
  }
  if (poisoned && !contract_.promises.selection) {
    places.push_back(exempt_lse());
  } else if (overflows) {
    places.push_back(uncheckable());
  } else {
    places.push_back(has_sink(problem_, row.h) ? sink_lse(row) : empty_lse());
  }
  return places;
}

std::vector<Place> Admitter::row(const RowEnclosure& enclosure, std::int64_t b, std::int64_t h,
                                 std::int64_t i) {
  decode(b, problem_.shape.kv_head(h));
  const Row row{enclosure, b, h, i};
  switch (enclosure.row_class) {
    case RowClass::live:
      return live(row);
    case RowClass::empty:
      return empty(row);
    case RowClass::nonfinite:
      break;
  }
  // docs/bounds.md 2.3
  const bool due =
      enclosure.visible_nan && contract_.semantics.visible_nan == Semantics::VisibleNan::due;
  const Uncentred u = uncentred_of(row);
  std::vector<Place> places;
  for (std::int64_t d = 0; d < problem_.shape.d_v; ++d) {
    places.push_back(due ? due_nan() : exempt(row, d, u));
  }
  places.push_back(exempt_lse());
  return places;
}

}  // namespace qkvet::bound
