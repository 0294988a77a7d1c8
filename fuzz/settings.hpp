// What a fuzzer's command line says beside the engine's own flags: `--size=tiny|tiles`,
// `--where=EXPR`, `--kernel=NAME`, `--feedback=yes|no`. libFuzzer leaves flags with two dashes alone.
#pragma once

#include <cstdint>
#include <qkvet/problem/domain.hpp>
#include <string>

namespace qkvet::fuzz {

/// tiny: L, S <= 8, d <= 16: most executions per second. tiles: L, S <= 160, d <= 80: across the
/// borders of tiles.
enum class Size : std::uint8_t { tiny, tiles };

struct Settings {
  Size size = Size::tiny;
  std::string where;   ///< narrows what is drawn further, as `qkvet check --where`
  std::string kernel;  ///< a built-in kernel; empty: the one that is linked
  bool feedback = true;  ///< the engine is told of rows and errors too (feedback.hpp)
};

/// Takes a flag of ours; false if `flag` is none. Throws InputError(usage) naming the flag and what
/// it accepts if its value is bad.
[[nodiscard]] bool take_flag(std::string_view flag, Settings& settings);

/// The shapes of that size.
[[nodiscard]] Domain domain_of(Size size);

/// For LLVMFuzzerInitialize: takes our flags out of the command line that it can change; a bad one
/// ends the process with exit code 2.
[[nodiscard]] Settings settings_of(int argc, char** argv);

}  // namespace qkvet::fuzz
