// Loading a candidate into the worker: the only place where foreign code enters a process.
#pragma once

#include <qkvet/candidate/kernel.h>

#include <string>

namespace qkvet {

struct Loaded {
  const qkvet_candidate* table = nullptr;
  std::string defect;  ///< why there is no table
};

/// `what` is "builtin:NAME" or the path of a shared library, `symbol` the function that returns the
/// table.
[[nodiscard]] Loaded load_candidate(const std::string& what, const std::string& symbol);

}  // namespace qkvet
