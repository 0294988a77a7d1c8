// The fast float kernel: attention over tiles with an online softmax, vectors of the processor at hand.
// docs/kernel.md explains it; docs/performance.md has its speed.
#pragma once

#include <qkvet/kernels/flash.h>

#include <span>
#include <string_view>

namespace qkvet::kernels {

/// Its table as a candidate: builtin:flash.
[[nodiscard]] const qkvet_candidate& flash();

/// The paths that this processor can run, the best one last; each is a name for qkvet_flash.
[[nodiscard]] std::span<const std::string_view> flash_paths();

}  // namespace qkvet::kernels
