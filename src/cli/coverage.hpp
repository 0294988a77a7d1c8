// `qkvet list coverage`: which pairs of feature values the campaigns of a profile draw.
#pragma once

#include "cli/options.hpp"

namespace qkvet::cli {

/// Prints the table, writes JSON if asked to. Throws InputError(usage) for an unknown profile.
void list_coverage(const List& options);

}  // namespace qkvet::cli
