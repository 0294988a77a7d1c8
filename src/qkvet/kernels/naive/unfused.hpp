// Attention in f16 and bf16 as an unfused framework computes it: each step reads stored numbers,
// works in f32 and stores its result in the low format.
#pragma once

#include <qkvet/candidate/kernel.h>

namespace qkvet::kernels {

/// Runs on args whose q is f16 or bf16; refuses what `accept` refuses.
int unfused(const qkvet_args& args, qkvet_error* why);

}  // namespace qkvet::kernels
