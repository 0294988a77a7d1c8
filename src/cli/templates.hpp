// The files that `qkvet new` writes: the examples of examples/, taken in at build time.
#pragma once

#include <string_view>

namespace qkvet::cli {

[[nodiscard]] std::string_view c_template();
[[nodiscard]] std::string_view python_template();

}  // namespace qkvet::cli
