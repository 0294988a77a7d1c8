// A few threads that stay. Work is split by whoever is free; results must not depend on who does what.
#pragma once

#include <cstdint>

namespace qkvet::kernels::fast {

/// Work on items [0, count), in any order, on up to `threads` threads of which the caller is one.
/// `scratch_bytes` of aligned memory for each, kept between calls. False if there is no memory.
/// Without a second thread to be had, or while another call uses them, the caller does it alone.
[[nodiscard]] bool run_in_pool(std::int64_t threads, std::int64_t count, std::int64_t scratch_bytes,
                               void (*work)(const void* job, std::int64_t item, char* scratch),
                               const void* job);

}  // namespace qkvet::kernels::fast
