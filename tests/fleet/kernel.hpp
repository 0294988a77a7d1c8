// The one parametrised kernel behind the fleet.
#pragma once

#include "fleet.hpp"

namespace fleet {

/// Runs `recipe` on every row; f32, f16 and bf16.
int run(const Recipe& recipe, const qkvet_args& args, qkvet_error* why);

}  // namespace fleet
