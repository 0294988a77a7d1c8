#include "load.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <qkvet/candidate/call.hpp>
#include <qkvet/kernels/kernels.hpp>

namespace qkvet {

Loaded load_candidate(const std::string& what, const std::string& symbol) {
  constexpr std::string_view builtin = "builtin:";
  if (what.starts_with(builtin)) {
    const qkvet_candidate* table = builtin_kernel(std::string_view(what).substr(builtin.size()));
    if (table != nullptr) return {table, {}};
    return {nullptr, fmt::format("there is no such kernel; known: {}",
                                 fmt::join(builtin_kernel_names(), ", "))};
  }
  void* library = dlopen(what.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return {nullptr, dlerror()};
  void* address = dlsym(library, symbol.c_str());
  if (address == nullptr) return {nullptr, dlerror()};
  const auto function = reinterpret_cast<qkvet_candidate_fn>(address);
  const qkvet_candidate* table = function();
  if (auto defect = table_defect(table)) return {nullptr, std::move(*defect)};
  return {table, {}};
}

}  // namespace qkvet
