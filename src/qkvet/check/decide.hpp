// From observations to a verdict on values: the first rung where it suffices, Arb for everything
// else.
#pragma once

#include <functional>
#include <qkvet/check/property.hpp>
#include <span>
#include <vector>

namespace qkvet {

using Judge = std::function<Verdict(std::span<const Exhibit>)>;

/// Fills in `admissible` and judges. A Pass of the first rung stands where every value lies within
/// its radius of the far end of its enclosure, and the enclosures are narrow; no other verdict rests
/// on the first rung. docs/bounds.md 8.4
[[nodiscard]] Verdict decide(const Judge& judge, std::span<Exhibit> exhibits);

/// True if a place of the first rung proves by itself that `got` is within the bound: narrow, and
/// within its radius of every value that the exact one may have. docs/bounds.md 8.4
[[nodiscard]] bool well_inside_place(const Place& place, double got);

/// Fills in `admissible` of every exhibit from one rung.
void admit_all(std::span<Exhibit> exhibits, Rung rung);

}  // namespace qkvet
