// The commands: each prints its result on stdout and returns the exit code.
#pragma once

#include "cli/options.hpp"

namespace qkvet::cli {

[[nodiscard]] int run(const Check& options);
[[nodiscard]] int run(const Fuzz& options);
[[nodiscard]] int run(const Repro& options);
[[nodiscard]] int run(const Ref& options);
[[nodiscard]] int run(const Explain& options);
[[nodiscard]] int run(const Judge& options);
[[nodiscard]] int run(const List& options);
[[nodiscard]] int run(const CorpusTool& options);
[[nodiscard]] int run(const New& options);
[[nodiscard]] int run(const Doctor& options);

}  // namespace qkvet::cli
