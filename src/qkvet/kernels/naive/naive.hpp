// softmax(scale q k^T + mask) v as written: slow and obvious, the kernel to read first. f64 and f32
// in their own precision; f16 and bf16 step by step (unfused.hpp).
#pragma once

#include <qkvet/candidate/kernel.h>

namespace qkvet::kernels {

[[nodiscard]] const qkvet_candidate& naive();

}  // namespace qkvet::kernels
