// The exact answers, rounded once, as if a candidate had given them.
#pragma once

#include <qkvet/bound/admissible.hpp>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/check/property.hpp>
#include <qkvet/oracle/oracle.hpp>
#include <vector>

namespace qkvet::test {

/// An encoding that the place admits: the middle of its enclosure, rounded once, or what is due.
inline std::uint64_t perfect_bits(const Place& place, Format format) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const bool finite = place.exact.lo >= -std::numeric_limits<double>::max() &&
                      place.exact.hi <= std::numeric_limits<double>::max();
  const bool sized = place.kind == PlaceKind::checked || place.kind == PlaceKind::hull;
  if (sized && finite) return encode(format, place.exact.mid());
  if (place.contains(0)) return encode(format, 0);
  if (place.allowed.lo <= place.allowed.hi) return encode(format, place.allowed.mid());
  if (place.nan) return encode(format, std::numeric_limits<double>::quiet_NaN());
  if (place.plus_inf) return encode(format, infinity);
  if (place.minus_inf) return encode(format, -infinity);
  return encode(format, 0);
}

/// What the property makes of the exact answers to its plan. Throws OracleDisagreement if it states
/// what is not so.
inline Verdict judge_perfect(const Problem& problem, const Property& property,
                             const Contract& contract) {
  const Plan plan = property.plan(problem, contract);
  const OutputFormats formats = output_formats(contract);
  std::vector<Exhibit> exhibits;
  for (const PlannedRun& run : plan.runs) {
    const Shape& s = run.problem.shape;
    Exhibit exhibit{&run, &contract, admit(run.problem, contract, Rung::arb), {}};
    Outputs& out = exhibit.observation.outputs;
    out.o = make_tensor(formats.o, {s.B, s.H_q, s.L, s.d_v});
    out.lse_format = formats.lse;
    for (std::size_t n = 0; n < out.o.bits.size(); ++n) {
      out.o.bits[n] = perfect_bits(exhibit.admissible.o[n], formats.o);
    }
    for (const Place& place : exhibit.admissible.lse) {
      out.lse.push_back(perfect_bits(place, formats.lse));
    }
    exhibits.push_back(std::move(exhibit));
  }
  return property.judge(plan, exhibits);
}

}  // namespace qkvet::test
