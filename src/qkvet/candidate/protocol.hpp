// What lies in the memory that a supervisor and a worker share: plain structs, read by the native
// worker through this header and by the Python runner through the same offsets
// (src/python/qkvet_runner.py).
#pragma once

#include <qkvet/candidate/kernel.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <qkvet/candidate/arena.hpp>

namespace qkvet::wire {

/// One tensor of one call. `offset` is that of the origin from the start of its memory (inputs or
/// outputs); in-process it is an address.
struct TensorPart {
  std::uint32_t present, code, bits, ndim;
  std::int64_t offset;
  std::array<std::int64_t, 4> shape, strides;
};

/// A request: one problem, placed for one or two calls. At the start of the input memory.
struct Request {
  std::uint64_t sequence;
  std::uint32_t calls, flags;
  double scale, softcap;
  std::int32_t threads, num_splits;
  std::uint32_t has_mask, causal, diagonal_kind, has_key_range;
  std::int64_t window_left, window_right;
  std::int64_t batch;   ///< B: the ranges that follow are [diagonal B][key start B][key end B]
  std::int64_t ranges;  ///< offset of the ranges in the input memory
  std::array<std::array<TensorPart, slot_count>, 2> tensors;
};
static_assert(sizeof(TensorPart) == 88 && sizeof(Request) == 88 + 2 * 9 * 88,
              "the Python runner knows these offsets");

/// How a load or a call ended, in the worker's own words: diagnostics, never a verdict.
enum class Status : std::uint32_t { ok, refused, failed, unusable };

inline constexpr std::size_t message_size = 4096, text_size = std::size_t{1} << 18;

/// The worker's answer. At the start of the output memory.
struct Reply {
  std::uint64_t sequence;
  std::uint32_t status;
  std::uint32_t
      started;  ///< calls begun in this request: tells a slow second call from a hung first
  std::uint64_t input_base, output_base;  ///< where the worker mapped the memory
  std::uint64_t fault_address;            ///< written by the SIGSEGV handler
  std::uint32_t fault_signal, fault_write;
  std::array<char, message_size> message;      ///< reason, NUL-terminated
  std::array<char, message_size> environment;  ///< floating-point or signal state changed, or empty
  std::array<char, text_size> contract;        ///< after the load: the contract text, or empty
};

/// The memories are divided in cells of equal capacity with a guard before, between and after:
/// inputs: [request and ranges][q][k][v][attend][bias][sinks][slopes]; outputs: [reply][o][lse].
inline constexpr std::int64_t guard = 16 * 4096;
constexpr std::int64_t cell_offset(std::int64_t index, std::int64_t capacity) {
  return guard + index * (capacity + guard);
}
inline constexpr std::int64_t input_cells = 1 + static_cast<std::int64_t>(input_slots);
inline constexpr std::int64_t output_cells =
    1 + static_cast<std::int64_t>(slot_count - input_slots);

/// File descriptors of a worker: a socket on which both sides send sequence numbers, the two
/// memories, and a pipe that never carries data and closes when the supervisor is gone.
enum : int { socket_fd = 3, input_fd = 4, output_fd = 5, life_fd = 6 };

}  // namespace qkvet::wire
