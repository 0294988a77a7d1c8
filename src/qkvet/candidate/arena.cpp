#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <qkvet/candidate/arena.hpp>
#include <qkvet/candidate/arena_detail.hpp>
#include <qkvet/num/error.hpp>

namespace qkvet {

using namespace arena_detail;

namespace {

constexpr std::int64_t alignment = 64;
constexpr std::int64_t band = 256;  // canary bytes on each side, more than any single vector store
constexpr std::int64_t largest_span = std::int64_t{1} << 36;
constexpr std::int64_t filled_at_most = std::int64_t{1} << 31;
constexpr std::int64_t sparse_span = std::int64_t{1} << 26;  // bytes from which gaps are left alone

void write_bits(const Piece& p, const std::uint64_t* bits) {
  with_width(p.bytes, [&](auto zero) {
    each_value<decltype(zero)>(p, [&](std::size_t i, std::byte* at) {
      const auto value = static_cast<decltype(zero)>(bits[i]);
      std::memcpy(at, &value, sizeof value);
    });
  });
}

std::vector<std::uint64_t> read_bits(const Piece& p) {
  std::vector<std::uint64_t> bits(static_cast<std::size_t>(p.count));
  with_width(p.bytes, [&](auto zero) {
    each_value<decltype(zero)>(p, [&](std::size_t i, std::byte* at) {
      auto value = zero;
      std::memcpy(&value, at, sizeof value);
      bits[i] = value;
    });
  });
  return bits;
}

Piece shaped(Format format, const std::array<std::int64_t, 4>& extents, const Layout& layout,
             int ndim) {
  Piece p;
  p.present = true;
  p.format = format;
  p.bytes = info(format).bytes;
  p.ndim = ndim;
  p.extents = extents;
  p.strides = strides_of(layout, extents);
  p.shift = layout.shift;
  p.dense = !layout.strides;
  p.count = extents[0] * extents[1] * extents[2] * extents[3];
  if (p.count == 0) return p;
  p.highest = 0;
  std::int64_t distinct = 1;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const std::int64_t last = extents[axis] - 1;
    std::int64_t reach = 0;
    if (last > 0 && __builtin_mul_overflow(last, p.strides[axis], &reach)) reach = largest_span;
    if (std::abs(reach) > largest_span / 16) {
      throw InputError(ExitCode::bad_data,
                       fmt::format("layout: stride {} over {} elements spans too much memory; "
                                   "hint: use a smaller stride",
                                   p.strides[axis], extents[axis]));
    }
    (reach < 0 ? p.lowest : p.highest) += reach;
    if (reach != 0) distinct *= extents[axis];
  }
  p.gaps = p.highest - p.lowest + 1 > distinct;
  p.sparse = p.gaps && ((p.span() > sparse_span && p.count * 4 * near < p.span()) ||
                        p.span() > filled_at_most);
  return p;
}

}  // namespace

std::string_view slot_name(Slot slot) {
  static constexpr std::array<std::string_view, slot_count> names{
      "q", "k", "v", "attend", "bias", "sinks", "slopes", "o", "lse"};
  return names[static_cast<std::size_t>(slot)];
}

Pieces pieces_of(const Problem& problem, const OutputFormats& outputs) {
  Pieces pieces;
  const auto at = [&](Slot slot) -> Piece& { return pieces[static_cast<std::size_t>(slot)]; };
  const Shape& s = problem.shape;
  const Layouts& layouts = problem.layouts;
  at(Slot::q) = shaped(problem.format, {s.B, s.H_q, s.L, s.d_k}, layouts.q, 4);
  at(Slot::k) = shaped(problem.format, {s.B, s.H_kv, s.S, s.d_k}, layouts.k, 4);
  at(Slot::v) = shaped(problem.format, {s.B, s.H_kv, s.S, s.d_v}, layouts.v, 4);
  if (problem.mask.attend) {
    Piece& piece = at(Slot::attend);
    piece = shaped(problem.format, problem.mask.attend->extents, layouts.attend, 4);
    piece.boolean = true;
    piece.bytes = 1;
  }
  if (problem.mask.bias) {
    at(Slot::bias) = shaped(problem.mask.bias->format, problem.mask.bias->extents, layouts.bias, 4);
  }
  const std::array<std::int64_t, 4> per_head{s.H_q, 1, 1, 1};
  if (problem.sinks) at(Slot::sinks) = shaped(problem.sinks->format, per_head, {}, 1);
  if (problem.alibi_slopes)
    at(Slot::slopes) = shaped(problem.alibi_slopes->format, per_head, {}, 1);
  at(Slot::o) = shaped(outputs.o, {s.B, s.H_q, s.L, s.d_v}, layouts.o, 4);
  if (problem.want_lse) {
    at(Slot::lse) = shaped(outputs.lse, {s.B, s.H_q, s.L, 1}, layouts.lse, 3);
  }
  return pieces;
}

std::int64_t room(const Piece& piece) {
  if (!piece.present) return 0;
  const std::int64_t need = piece.span() + 2 * band + 2 * alignment;
  return (need + alignment - 1) / alignment * alignment;
}

void place(Piece& piece, std::span<std::byte> memory, Side side) {
  if (!piece.present) return;
  QKVET_ASSERT(room(piece) <= static_cast<std::int64_t>(memory.size()));
  // The lowest element's address, modulo 64, that puts the origin where the layout wants it.
  const std::int64_t wanted = (piece.shift + piece.lowest) * piece.bytes;
  const std::int64_t residue = ((wanted % alignment) + alignment) % alignment;
  const auto size = static_cast<std::int64_t>(memory.size());
  std::int64_t start = residue;
  if (side == Side::right) {
    const std::int64_t last = size - piece.span();  // the last start that fits
    start = last - (((last - residue) % alignment) + alignment) % alignment;
  }
  piece.begin = memory.data() + start;
  piece.end = piece.begin + piece.span();
  piece.origin = piece.begin - piece.lowest * piece.bytes;
  piece.band_begin = memory.data() + std::max<std::int64_t>(0, start - band);
  piece.band_end = memory.data() + std::min(size, start + piece.span() + band);
}

std::uint64_t poison_bits(Format format, Poison poison, std::size_t index) {
  const std::uint64_t i = index;
  const std::uint64_t spread = (i + 1) * 0x9e3779b97f4a7c15u >> 12;  // neighbours differ widely
  if (poison == Poison::nan) {
    switch (format) {
      case Format::binary64:
        return 0x7ffc000000000000u | (i & 0xffffffffffffu);
      case Format::binary32:
        return 0x7fe00000u | (i & 0x1fffffu);
      case Format::binary16:
        return 0x7f00u | (i & 0xffu);
      case Format::bfloat16:
        return 0x7fe0u | (i & 0x1fu);
    }
  }
  switch (format) {
    case Format::binary64:
      return 0x4080000000000000u | (spread & 0xfffffffffffffu);
    case Format::binary32:
      return 0x44000000u | (spread & 0x7fffffu);
    case Format::binary16:
      return 0x6000u | (spread & 0x3ffu);
    case Format::bfloat16:
      return 0x4400u | (spread & 0x7fu);
  }
  return 0;
}

void fill(const Pieces& pieces, const Problem& problem, Poison poison) {
  for (std::size_t n = 0; n < slot_count; ++n) {
    const Piece& p = pieces[n];
    if (!p.present) continue;
    const auto slot = static_cast<Slot>(n);
    const int byte = canary(p, poison);
    if (p.sparse) {
      each_surrounding(p, [byte](std::byte* from, std::byte* to) {
        std::memset(from, byte, static_cast<std::size_t>(to - from));
      });
    } else if (p.gaps) {
      std::memset(p.band_begin, byte, static_cast<std::size_t>(p.band_end - p.band_begin));
    } else {
      std::memset(p.band_begin, byte, static_cast<std::size_t>(p.begin - p.band_begin));
      std::memset(p.end, byte, static_cast<std::size_t>(p.band_end - p.end));
    }
    if (slot == Slot::attend) {
      const std::uint8_t* attend = problem.mask.attend->attend.data();
      each_value<std::uint8_t>(
          p, [&](std::size_t i, std::byte* at) { *at = std::byte{attend[i]}; });
    } else if (const Tensor* tensor = input_tensor(problem, slot)) {
      write_bits(p, tensor->bits.data());
    } else {
      with_width(p.bytes, [&](auto zero) {
        each_value<decltype(zero)>(p, [&](std::size_t i, std::byte* at) {
          const auto value = static_cast<decltype(zero)>(poison_bits(p.format, poison, i));
          std::memcpy(at, &value, sizeof value);
        });
      });
    }
  }
}

Outputs collect(const Pieces& pieces, Poison poison) {
  Outputs outputs;
  for (const Slot slot : {Slot::o, Slot::lse}) {
    const Piece& p = pieces[static_cast<std::size_t>(slot)];
    if (!p.present) continue;
    std::vector<std::uint64_t> bits = read_bits(p);
    if (p.gaps) {
      each_element(p, [&](std::size_t, std::byte* at) {
        std::memset(at, canary(p, poison), static_cast<std::size_t>(p.bytes));
      });
    }
    if (slot == Slot::o) {
      outputs.o = Tensor{p.format, p.extents, std::move(bits)};
    } else {
      outputs.lse = std::move(bits);
      outputs.lse_format = p.format;
    }
  }
  return outputs;
}

}  // namespace qkvet
