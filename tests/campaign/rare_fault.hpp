// A kernel for the test of the fuzz engine: right, but for problems that have several rare things
// at once.
#pragma once

#include <qkvet/candidate/kernel.h>

namespace qkvet {

/// Sinks are forgotten where a window, ALiBi and a softcap meet a last tile that holds one key.
const qkvet_candidate& rarely_wrong_kernel();

}  // namespace qkvet
