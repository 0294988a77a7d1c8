#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <qkvet/check/ledger.hpp>
#include <qkvet/num/error.hpp>

namespace qkvet {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::size_t flat_row(const Spot& spot) {
  const Shape& shape = spot.exhibit->run->problem.shape;
  return static_cast<std::size_t>(shape.row(spot.at.b, spot.at.h, spot.at.i));
}

std::size_t flat(const Spot& spot) {
  const Shape& shape = spot.exhibit->run->problem.shape;
  return flat_row(spot) * static_cast<std::size_t>(shape.d_v) + static_cast<std::size_t>(spot.at.c);
}

/// The distance of a finite `got` in radii; infinity where no radius measures it.
double excess_of(const Place& place, double got) {
  if (!std::isfinite(got) || !(place.radius > 0)) return infinity;
  const double below = place.exact.lo - got;
  const double above = got - place.exact.hi;
  const double distance = below > above ? below : above;
  return distance > 0 ? distance / place.radius : infinity;
}

std::string allowed_text(const Place& place) {
  std::string out;
  const auto add = [&out](const std::string& text) { out += (out.empty() ? "" : " or ") + text; };
  if (place.allowed.lo <= place.allowed.hi) {
    add(fmt::format("[{:.9g}, {:.9g}]", place.allowed.lo, place.allowed.hi));
  }
  if (place.zero) add("0");
  if (place.nan) add("NaN");
  if (place.plus_inf) add("+inf");
  if (place.minus_inf) add("-inf");
  return out.empty() ? "nothing" : out;
}

}  // namespace

const Place& Spot::place() const {
  const Admissible& admissible = exhibit->admissible;
  return at.c < 0 ? admissible.lse.at(flat_row(*this)) : admissible.o.at(flat(*this));
}

bool Spot::present() const {
  return at.c >= 0 ||
         (!exhibit->observation.outputs.lse.empty() && !exhibit->admissible.lse.empty());
}

Format Spot::format() const {
  const Outputs& outputs = exhibit->observation.outputs;
  return at.c < 0 ? outputs.lse_format : outputs.o.format;
}

std::uint64_t Spot::bits() const {
  const Outputs& outputs = exhibit->observation.outputs;
  return at.c < 0 ? outputs.lse.at(flat_row(*this)) : outputs.o.bits.at(flat(*this));
}

double Spot::got() const { return decode(format(), bits()); }

void for_places(const Shape& shape, bool lse, const std::function<void(const PlaceIndex&)>& visit) {
  for (std::int64_t b = 0; b < shape.B; ++b)
    for (std::int64_t h = 0; h < shape.H_q; ++h)
      for (std::int64_t i = 0; i < shape.L; ++i) {
        for (std::int64_t c = 0; c < shape.d_v; ++c) visit({b, h, i, c});
        if (lse) visit({b, h, i, -1});
      }
}

std::string name_of(const PlaceIndex& at) {
  return at.c < 0 ? fmt::format("lse[{},{},{}]", at.b, at.h, at.i)
                  : fmt::format("o[{},{},{},{}]", at.b, at.h, at.i, at.c);
}

void Ledger::measure(double ratio) {
  QKVET_ASSERT(!std::isnan(ratio));
  if (ratio > worst_) worst_ = ratio;
}

void Ledger::fail(Finding finding) {
  if (finding_ && !(finding.excess > finding_->excess)) return;
  finding.property = property_;
  finding_ = std::move(finding);
}

void Ledger::reject(const Spot& spot, const Place& allowed, double got, std::uint64_t bits,
                    const std::function<std::string()>& why) {
  const double excess = excess_of(allowed, got);
  if (finding_ && !(excess > finding_->excess)) return;
  Finding finding;
  finding.label = std::isfinite(got) ? "wrong" : "non-finite";
  finding.run = spot.exhibit->run->role;
  finding.place = spot.at;
  finding.allowed = allowed;
  const double shown = std::isnan(got) ? std::fabs(got) : got;  // the sign of a NaN means nothing
  finding.got = shown;
  finding.got_bits = bits;
  finding.excess = excess;
  const std::string reason = why ? why() : "";
  finding.message = fmt::format("{} is {:.9g} ({:a}), allowed is {}{}{}", name_of(spot.at), shown,
                                shown, allowed_text(allowed), reason.empty() ? "" : ": ", reason);
  fail(std::move(finding));
}

Verdict Ledger::verdict() const {
  if (finding_) return Fail{*finding_, tally_};
  const std::int64_t decided = tally_.checked + tally_.hull + tally_.exact;
  if (decided == 0 && tally_.vacuous > 0) {
    return Vacuous{fmt::format("the contract gives no finite bound for {} of {} places: sums of so "
                               "many roundings promise nothing",
                               tally_.vacuous, tally_.total()),
                   tally_};
  }
  if (decided == 0 && tally_.total() > 0) {
    return Undecided{fmt::format("nothing to decide: {} places exempt, {} uncheckable",
                                 tally_.exempt, tally_.uncheckable),
                     tally_};
  }
  return Pass{worst_, tally_};
}

}  // namespace qkvet
