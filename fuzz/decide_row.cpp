#include "fuzz/decide_row.hpp"

#include <qkvet/bound/admissible.hpp>
#include <qkvet/check/decide.hpp>

namespace qkvet::fuzz {

bool admitted(const Problem& problem, const Contract& contract, std::int64_t b, std::int64_t h,
              std::int64_t i, const double* o, const double* lse) {
  const auto columns = static_cast<std::size_t>(problem.shape.d_v);
  const auto holds = [&](Rung rung, const auto& inside) {
    const RowEnclosure row = enclose_row(problem, contract.semantics, rung, b, h, i);
    const std::vector<Place> places = admit_row(problem, contract, row, b, h, i);
    for (std::size_t d = 0; d < columns; ++d) {
      if (!inside(places[d], o[d])) return false;
    }
    return lse == nullptr || inside(places[columns], *lse);
  };
  // Plain double says nothing about a kernel that computes in double itself.
  if (problem.format != Format::binary64 && holds(Rung::first, well_inside_place)) return true;
  return holds(Rung::arb, [](const Place& place, double got) { return place.contains(got); });
}

}  // namespace qkvet::fuzz
