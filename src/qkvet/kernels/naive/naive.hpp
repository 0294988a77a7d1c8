// softmax(scale q k^T + mask) v as written: slow and obvious, f32 and f64, the kernel to read
// first.
#pragma once

#include <qkvet/candidate/kernel.h>

namespace qkvet::kernels {

[[nodiscard]] const qkvet_candidate& naive();

}  // namespace qkvet::kernels
