// The kernels that come with qkvet, by name. They know nothing but the C ABI: no oracle, no problem
// type.
#pragma once

#include <qkvet/candidate/kernel.h>

#include <span>
#include <string_view>

namespace qkvet {

/// The table of a built-in kernel ("naive", "flash"); null if there is none of that name.
[[nodiscard]] const qkvet_candidate* builtin_kernel(std::string_view name);

/// The names that builtin_kernel knows.
[[nodiscard]] std::span<const std::string_view> builtin_kernel_names();

}  // namespace qkvet
