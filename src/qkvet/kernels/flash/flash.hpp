// Tiled attention with an online softmax in f32: clean scalar code, any shape, layout and mask. f16
// and bf16 are read and written, f32 is computed in.
#pragma once

#include <qkvet/candidate/kernel.h>

namespace qkvet::kernels {

[[nodiscard]] const qkvet_candidate& flash();

}  // namespace qkvet::kernels
