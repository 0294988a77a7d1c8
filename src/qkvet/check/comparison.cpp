#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <qkvet/bound/admissible.hpp>
#include <qkvet/check/comparison.hpp>
#include <qkvet/check/judge_own.hpp>
#include <qkvet/num/error.hpp>

namespace qkvet {
namespace {

bool is_finite(const Interval& x) { return std::isfinite(x.lo) && std::isfinite(x.hi); }

/// Narrow enough that its middle serves as the exact value: 2^-12 of the output's unit.
bool is_narrow(const Interval& x, const FormatInfo& format) {
  const double size = std::max(std::fabs(x.mid()), format.mu);
  return x.hi - x.lo <= 0x1p-12 * format.u * size;
}

/// Rows of one problem, by the first rung where that is sharp, else by Arb.
class ExactRows {
 public:
  ExactRows(const Exhibit& exhibit, Format format)
      : exhibit_(exhibit),
        format_(info(format)),
        doubles_(format == Format::binary64),
        first_(exhibit.run->problem, exhibit.contract->semantics, Rung::first) {}

  RowEnclosure row(std::int64_t b, std::int64_t h, std::int64_t i) {
    if (doubles_) return certain(b, h, i);
    RowEnclosure row = first_.row(b, h, i);
    const bool sharp = std::all_of(row.o.begin(), row.o.end(), [&](const Interval& o) {
      return !is_finite(o) || is_narrow(o, format_);
    });
    return sharp ? row : certain(b, h, i);
  }

 private:
  RowEnclosure certain(std::int64_t b, std::int64_t h, std::int64_t i) {
    if (!arb_) arb_.emplace(exhibit_.run->problem, exhibit_.contract->semantics, Rung::arb);
    return arb_->row(b, h, i);
  }

  const Exhibit& exhibit_;
  const FormatInfo& format_;
  bool doubles_;
  RowEncloser first_;
  std::optional<RowEncloser> arb_;
};

/// sum p |v| of one column, rounded up enough for a criterion.
double magnitude(const Problem& problem, const RowEnclosure& row, std::int64_t b, std::int64_t h,
                 std::int64_t d) {
  double sum = 0;
  for (const KeyTrace& key : row.trace.keys) {
    if (!key.visible || key.sink) continue;
    sum += key.weight.hi * std::fabs(problem.v.value(b, problem.shape.kv_head(h), key.key, d));
  }
  return sum;
}

/// What the contract says is due by convention: NaN, an infinity, or a value.
double due(const Place& place) {
  using limits = std::numeric_limits<double>;
  if (place.allowed.lo <= place.allowed.hi) return place.allowed.mid();
  if (place.nan) return limits::quiet_NaN();
  return place.plus_inf ? limits::infinity() : place.minus_inf ? -limits::infinity() : 0;
}

}  // namespace

Comparison compare_with_exact(const Exhibit& exhibit, const Outputs* twin) {
  const Problem& problem = exhibit.run->problem;
  const Shape& shape = problem.shape;
  const Outputs& outputs = exhibit.observation.outputs;
  const auto size = static_cast<std::size_t>(shape.outputs());
  QKVET_ASSERT(outputs.o.bits.size() == size && exhibit.admissible.o.size() == size);
  Comparison out;
  out.format = outputs.o.format;
  out.keys = shape.S;
  out.softcap = problem.softcap > 0;
  Ledger ledger("certified");
  judge_own(ledger, exhibit);
  const Verdict own = ledger.verdict();
  if (const auto* pass = std::get_if<Pass>(&own)) {
    out.own = Ruling::Word::pass;
    out.worst = pass->headroom;
  } else if (const Finding* finding = finding_of(own)) {
    out.own = Ruling::Word::fail;
    out.worst = finding->excess;
  }
  ExactRows rows(exhibit, out.format);
  RowEnclosure row;
  for_places(shape, false, [&](const PlaceIndex& at) {
    if (at.c == 0) row = rows.row(at.b, at.h, at.i);
    const auto d = static_cast<std::size_t>(at.c);
    const auto n = static_cast<std::size_t>(shape.row(at.b, at.h, at.i) * shape.d_v) + d;
    const Place& place = exhibit.admissible.o[n];
    const bool convention = place.kind == PlaceKind::exact;
    // The mean of V that may be due in an empty row is a value with a bound, not of a live row.
    const bool live = row.row_class == RowClass::live;
    const Interval exact = live ? row.o[d] : place.exact;
    if (!convention && (place.kind == PlaceKind::exempt || !is_finite(exact))) {
      ++out.left_out;
      return;
    }
    out.got.push_back(decode(out.format, outputs.o.bits[n]));
    const double value = convention ? due(place) : exact.mid();
    out.exact.push_back(value);
    out.magnitude.push_back(live && !convention ? magnitude(problem, row, at.b, at.h, at.c)
                                                : std::fabs(value));
    if (twin != nullptr) out.twin.push_back(decode(twin->o.format, twin->o.bits.at(n)));
  });
  return out;
}

}  // namespace qkvet
