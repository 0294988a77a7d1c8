// Force-included into the planted copies of sources that plant.py writes, and into nothing else:
// the switch that says which fault is on. The product never sees it.
#pragma once

#include <type_traits>

extern "C" int qkvet_harness_fault;    // number of the fault that is on, -1 for none
extern "C" int qkvet_harness_reached;  // 1 once the place of that fault has run

#define QKVET_FAULT(number) (qkvet_harness_fault == (number) && (qkvet_harness_reached = 1) == 1)

namespace qkvet_harness {

/// Half of a number, an integer or a Mag.
template <class Number>
Number half(const Number& x) {
  if constexpr (requires { x.value(); }) {
    return Number{x.value() / 2};
  } else {
    return x / Number(2);
  }
}

/// The index below, in bounds.
template <class Index>
Index before(Index i) {
  return i > 0 ? static_cast<Index>(i - 1) : i;
}

}  // namespace qkvet_harness
