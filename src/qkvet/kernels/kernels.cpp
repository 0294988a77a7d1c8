// The constant list of built-in kernels.
#include <array>
#include <qkvet/kernels/flash.hpp>
#include <qkvet/kernels/kernels.hpp>
#include <qkvet/kernels/naive/naive.hpp>

namespace qkvet {

const qkvet_candidate* builtin_kernel(std::string_view name) {
  if (name == "naive") return &kernels::naive();
  if (name == "flash") return &kernels::flash();
  return nullptr;
}

std::span<const std::string_view> builtin_kernel_names() {
  static constexpr std::array<std::string_view, 2> names{"naive", "flash"};
  return names;
}

}  // namespace qkvet
