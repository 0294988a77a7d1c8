// Children of a case that came as text: a finding of another engine has no stream of choices.
#pragma once

#include <qkvet/problem/draw.hpp>

namespace qkvet {

/// `base` with one to three parts (a mask, q, k or v, scalars, sinks, layouts, ...) of a problem
/// that `random` draws in the same shape and format, with features of `domain`. Valid; equal to `base` if the parts do not fit
/// together, or if it is too large to be worth a draw.
[[nodiscard]] Problem grafted(Choices& random, const Problem& base, const Domain& domain);

}  // namespace qkvet
