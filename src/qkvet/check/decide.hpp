// From observations to a verdict on values: the first rung where it suffices, Arb for everything
// else.
#pragma once

#include <functional>
#include <qkvet/check/property.hpp>
#include <span>
#include <vector>

namespace qkvet {

using Judge = std::function<Verdict(std::span<const Exhibit>)>;

/// Fills in `admissible` and judges. A Pass of the first rung stands only well inside: see
/// decide.cpp. No other verdict rests on the first rung.
[[nodiscard]] Verdict decide(const Judge& judge, std::span<Exhibit> exhibits);

/// True if `got` lies so far inside a place of the first rung that Arb's place admits it too.
/// docs/properties.md, "The first rung".
[[nodiscard]] bool well_inside_place(const Place& place, double got);

/// Fills in `admissible` of every exhibit from one rung.
void admit_all(std::span<Exhibit> exhibits, Rung rung);

}  // namespace qkvet
