#include "fuzz/call.hpp"

#include <cmath>
#include <cstring>
#include <qkvet/candidate/arena_detail.hpp>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/num/convert.hpp>
#include <span>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define QKVET_HAS_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define QKVET_HAS_ASAN 1
#endif
#ifdef QKVET_HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

namespace qkvet::fuzz {
namespace {

constexpr std::size_t line = 64;

/// False if some element is still what it was before the call.
bool read(const Piece& piece, std::vector<double>& out) {
  bool written = true;
  out.resize(static_cast<std::size_t>(piece.count));
  convert::with_format(piece.format, [&](auto known) {
    constexpr Format format = decltype(known)::value;
    arena_detail::with_width(piece.bytes, [&](auto zero) {
      arena_detail::each_value<decltype(zero)>(piece, [&](std::size_t n, std::byte* at) {
        auto bits = zero;
        std::memcpy(&bits, at, sizeof bits);
        out[n] = convert::widen<format>(bits);
        if (std::isnan(out[n])) written = written && bits != poison_bits(format, Poison::nan, n);
      });
    });
  });
  return written;
}

/// Canary in the gaps of an output, where its elements lay: else the check would see the elements.
void erase(const Piece& piece) {
  if (!piece.gaps) return;
  arena_detail::each_element(piece, [&](std::size_t, std::byte* at) {
    std::memset(at, arena_detail::canary(piece, Poison::nan),
                static_cast<std::size_t>(piece.bytes));
  });
}

}  // namespace

void DirectCall::place_all() {
  std::size_t total = line;
  for (const Piece& piece : pieces_) total += static_cast<std::size_t>(room(piece));
  if (memory_.size() < total) memory_.resize(total);
  const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
  std::byte* at = memory_.data() + (line - address % line) % line;
  for (Piece& piece : pieces_) {
    const auto bytes = static_cast<std::size_t>(room(piece));
    place(piece, {at, bytes}, Side::right);
    at += bytes;
  }
}

void DirectCall::fence([[maybe_unused]] bool up) const {
#ifdef QKVET_HAS_ASAN
  for (const Piece& p : pieces_) {
    if (!p.present) continue;
    const auto bytes = static_cast<std::size_t>(p.band_end - p.band_begin);
    __asan_unpoison_memory_region(p.band_begin, bytes);
    if (!up) continue;
    if (!p.gaps) {
      __asan_poison_memory_region(p.band_begin, static_cast<std::size_t>(p.begin - p.band_begin));
      __asan_poison_memory_region(p.end, static_cast<std::size_t>(p.band_end - p.end));
      continue;
    }
    __asan_poison_memory_region(p.band_begin, bytes);
    arena_detail::each_element(p, [&](std::size_t, std::byte* at) {
      __asan_unpoison_memory_region(at, static_cast<std::size_t>(p.bytes));
    });
  }
#endif
}

const Seen& DirectCall::run(const Problem& problem, const Contract& contract, bool fenced) {
  pieces_ = pieces_of(problem, output_formats(contract));
  place_all();
  wire::Request request{};
  describe(problem, pieces_, request);
  for (std::size_t n = 0; n < slot_count; ++n) {
    request.tensors[0][n].offset =
        static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(pieces_[n].origin));
  }
  fill(pieces_, problem, Poison::nan);
  ranges_ = ranges_of(problem);
  const Arguments arguments(request, 0, 0, 0, ranges_.data());
  if (fenced) fence(true);
  const CallResult result = invoke(table_, arguments.args());
  if (fenced) fence(false);
  seen_.status = result.status;
  seen_.faults = !result.environment.empty();
  seen_.lse.clear();
  const Piece& o = pieces_[static_cast<std::size_t>(Slot::o)];
  const Piece& lse = pieces_[static_cast<std::size_t>(Slot::lse)];
  bool written = read(o, seen_.o);
  erase(o);
  if (lse.present) {
    written = read(lse, seen_.lse) && written;
    erase(lse);
  }
  faults_.clear();
  check_memory(pieces_, problem, Poison::nan, false, faults_);
  seen_.faults = seen_.faults || !written || !faults_.empty();
  return seen_;
}

}  // namespace qkvet::fuzz
