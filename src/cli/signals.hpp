// SIGINT and SIGTERM: the first asks the campaign to end with its report, the second ends at once.
#pragma once

namespace qkvet::cli {

void catch_signals();

/// The signal that asked us to stop, or 0.
[[nodiscard]] int signal_seen();

}  // namespace qkvet::cli
