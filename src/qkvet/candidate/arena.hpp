// The memory of one call: a Problem packed by its layouts, canaries around every tensor and in
// stride gaps, poison in the outputs; and what is read back afterwards. Where the memory comes from
// is the caller's business: ordinary memory in-process, shared pages with guards for a worker.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <qkvet/candidate/observation.hpp>
#include <qkvet/problem/problem.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace qkvet {

/// The tensors of a call, inputs first.
enum class Slot : std::uint8_t { q, k, v, attend, bias, sinks, slopes, o, lse };
inline constexpr std::size_t slot_count = 9, input_slots = 7;
[[nodiscard]] std::string_view slot_name(Slot slot);

/// Against which end of its memory a tensor lies, as near as its alignment allows.
enum class Side : std::uint8_t { right, left };

/// What lies in the outputs (and as canary around all tensors) before a call.
enum class Poison : std::uint8_t {
  nan,     ///< quiet NaNs, each element with a payload of its own
  finite,  ///< numbers in [512, 1024), each element its own
};

/// One tensor of a call: its form, and where it lies. Offsets are in elements from the origin, the
/// address of logical element (0, 0, 0, 0).
struct Piece {
  bool present = false, boolean = false;
  Format format = Format::binary32;
  int bytes = 4, ndim = 4;
  std::array<std::int64_t, 4> extents{}, strides{};
  std::int64_t count = 0, lowest = 0, highest = -1, shift = 0;
  bool dense = false;  ///< elements lie one after the other in logical order
  bool gaps = false;   ///< some bytes between begin and end belong to no element
  bool sparse = false;  ///< most of a vast span does: only what lies near an element is touched
  std::byte* origin = nullptr;
  std::byte *begin = nullptr, *end = nullptr;  ///< the bytes from the lowest to the highest element
  std::byte *band_begin = nullptr, *band_end = nullptr;  ///< canary reaches this far

  /// Bytes from the lowest to the highest element.
  [[nodiscard]] std::int64_t span() const { return (highest - lowest + 1) * bytes; }
};
using Pieces = std::array<Piece, slot_count>;

/// The forms of all tensors of `problem`, not yet placed; `o` and `lse` in the formats that the
/// contract names. Throws InputError(bad_data) if a layout spans more than 2^36 bytes.
[[nodiscard]] Pieces pieces_of(const Problem& problem, const OutputFormats& outputs);

/// Bytes that `piece` needs at most: its span, a canary band on both sides, alignment.
[[nodiscard]] std::int64_t room(const Piece& piece);

/// Puts a piece into `memory` (at least room() bytes, 64-byte aligned at both ends). The origin's
/// address is its shift (in elements) beyond a multiple of 64 bytes.
void place(Piece& piece, std::span<std::byte> memory, Side side);

/// Writes canaries, inputs and poison: of sparse pieces no page that no element is near.
void fill(const Pieces& pieces, const Problem& problem, Poison poison);

/// Reads the outputs and destroys them (they become canary, so that the gaps between can be
/// checked).
[[nodiscard]] Outputs collect(const Pieces& pieces, Poison poison);

/// Canaries that changed: out_of_bounds faults. Call after collect(). Inputs are checked too, and
/// their values (input_changed), unless they are sealed.
void check_memory(const Pieces& pieces, const Problem& problem, Poison poison, bool inputs_sealed,
                  std::vector<Fault>& faults);

/// Keeps one fault of each kind and tensor: both calls usually show the same one.
void drop_repeated_faults(std::vector<Fault>& faults);

/// The poison of element `index` of a tensor. Low formats have few of each kind, so theirs repeat:
/// 32 NaNs and 128 numbers in bf16, 256 and 1024 in f16.
[[nodiscard]] std::uint64_t poison_bits(Format format, Poison poison, std::size_t index);

/// Joins two calls into one observation: `first` had NaN poison, `second` finite poison. Adds
/// unwritten and nondeterministic_poison faults; keeps `second` as a repeat if its bits differ.
void join(Outputs first, Outputs second, Observation& observation);

}  // namespace qkvet
