// The one parametrised kernel behind the fleet.
#pragma once

#include "fleet.hpp"

namespace fleet {

/// Runs `recipe` on every row; f32 only.
int run(const Recipe& recipe, const qkvet_args& args, qkvet_error* why);

}  // namespace fleet
