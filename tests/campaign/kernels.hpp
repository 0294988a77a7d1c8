// Small kernels of this test's own, right and wrong, as tables of the C ABI.
#pragma once

#include <qkvet/candidate/kernel.h>

namespace qkvet {

/// Plain contiguous f32 attention, correct.
[[nodiscard]] const qkvet_candidate& plain_kernel();
/// The same, but when S mod 4 is 1 (and S > 1) the last key is not seen.
[[nodiscard]] const qkvet_candidate& tail_dropping_kernel();
/// Refuses everything.
[[nodiscard]] const qkvet_candidate& refusing_kernel();

}  // namespace qkvet
