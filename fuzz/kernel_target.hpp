// A target that judges a kernel, as data: one file each in targets/.
#pragma once

#include <string_view>

#include "fuzz/subject.hpp"

namespace qkvet::fuzz {

struct KernelTarget {
  std::string_view name;
  /// What is drawn, inside the size.
  Domain (*narrow)(Domain);
  /// The input's first choice, below `ways`, is handed to `adjust` and `judge`; a case given as
  /// text is judged in every way if it is small, else in one.
  std::uint64_t ways;
  /// Bends a drawn problem to the target's purpose; may be null.
  void (*adjust)(Problem&, const Contract&, std::uint64_t way);
  /// Looks for a finding: a cheap look first, then must_hold().
  void (*judge)(Subject&, const Contract&, const Problem&, std::uint64_t way);
};

/// Defined by each file of targets/ that judges a kernel.
extern const KernelTarget kernel_target;

}  // namespace qkvet::fuzz
