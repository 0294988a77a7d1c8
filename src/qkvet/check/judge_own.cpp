#include <qkvet/check/judge_own.hpp>
#include <qkvet/num/error.hpp>

namespace qkvet {
namespace {

/// The encoding at `spot`, taken from `outputs` (the first call's or a repeat's).
std::uint64_t bits_in(const Outputs& outputs, const Spot& spot) {
  const Shape& shape = spot.exhibit->run->problem.shape;
  const auto row = static_cast<std::size_t>(shape.row(spot.at.b, spot.at.h, spot.at.i));
  if (spot.at.c < 0) return outputs.lse.at(row);
  return outputs.o.bits.at(row * static_cast<std::size_t>(shape.d_v) +
                           static_cast<std::size_t>(spot.at.c));
}

void judge_outputs(Ledger& ledger, const Exhibit& exhibit, const Outputs& outputs,
                   const Where& where, bool first) {
  QKVET_ASSERT(outputs.o.bits.size() == exhibit.admissible.o.size());
  const bool lse = !outputs.lse.empty() && !exhibit.admissible.lse.empty();
  QKVET_ASSERT(!lse || outputs.lse.size() == exhibit.admissible.lse.size());
  for_places(exhibit.run->problem.shape, lse, [&](const PlaceIndex& at) {
    if (where && !where(at)) return;
    const Spot spot{&exhibit, at};
    const Place& place = spot.place();
    const std::uint64_t bits = bits_in(outputs, spot);
    const double got = decode(at.c < 0 ? outputs.lse_format : outputs.o.format, bits);
    if (first) ledger.count(place);
    if (place.contains(got)) {
      ledger.measure(place.ratio(got));
    } else {
      ledger.reject(spot, place, got, bits,
                    [first] { return first ? std::string() : "in a repeat of the call"; });
    }
  });
}

}  // namespace

void judge_own(Ledger& ledger, const Exhibit& exhibit, const Where& where) {
  judge_outputs(ledger, exhibit, exhibit.observation.outputs, where, true);
  for (const Outputs& repeat : exhibit.observation.repeats) {
    judge_outputs(ledger, exhibit, repeat, where, false);
  }
}

}  // namespace qkvet
