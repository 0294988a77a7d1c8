// What happened to the memory of a call: canaries, inputs, and places that were never written.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <qkvet/candidate/arena.hpp>
#include <qkvet/candidate/arena_detail.hpp>

namespace qkvet {

using namespace arena_detail;

namespace {

std::string place_name(std::string_view tensor, const std::array<std::int64_t, 4>& extents,
                       std::size_t index) {
  auto rest = static_cast<std::int64_t>(index);
  std::array<std::int64_t, 4> at{};
  for (std::size_t axis = 4; axis-- > 0;) {
    if (extents[axis] == 0) continue;
    at[axis] = rest % extents[axis];
    rest /= extents[axis];
  }
  if (tensor == "lse") return fmt::format("lse[{},{},{}]", at[0], at[1], at[2]);
  return fmt::format("{}[{},{},{},{}]", tensor, at[0], at[1], at[2], at[3]);
}

struct Changed {
  const std::byte* first = nullptr;
  std::int64_t bytes = 0;
};

void scan(const std::byte* begin, const std::byte* end, unsigned char canary_byte,
          Changed& changed) {
  const std::byte expected{canary_byte};
  const auto size = static_cast<std::size_t>(end - begin);
  // All equal iff the first is right and each equals its neighbour: memcmp is vectorised.
  if (size == 0 || (*begin == expected && std::memcmp(begin, begin + 1, size - 1) == 0)) return;
  for (const std::byte* at = begin; at != end; ++at) {
    if (*at == expected) continue;
    if (changed.first == nullptr) changed.first = at;
    ++changed.bytes;
  }
}

void check_canaries(const Piece& p, Slot slot, Poison poison, std::vector<Fault>& faults) {
  Changed changed;
  if (p.sparse) {
    each_surrounding(p, [&](const std::byte* from, const std::byte* to) {
      scan(from, to, canary(p, poison), changed);
    });
  } else if (p.gaps) {
    scan(p.band_begin, p.band_end, canary(p, poison), changed);
  } else {
    scan(p.band_begin, p.begin, canary(p, poison), changed);
    scan(p.end, p.band_end, canary(p, poison), changed);
  }
  if (changed.first == nullptr) return;
  const std::string name(slot_name(slot));
  std::string where;
  if (changed.first < p.begin) {
    where = fmt::format("{} bytes before {}", p.begin - changed.first, name);
  } else if (changed.first >= p.end) {
    where = fmt::format("{} bytes past the end of {}", changed.first - p.end, name);
  } else {
    where = fmt::format("in a stride gap, {} bytes after the start of {}", changed.first - p.begin,
                        name);
  }
  faults.push_back({Fault::Kind::out_of_bounds, name,
                    fmt::format("wrote {} ({} bytes changed)", where, changed.bytes)});
}

void check_input(const Piece& p, Slot slot, const Problem& problem, Poison poison,
                 std::vector<Fault>& faults) {
  std::size_t first = 0;
  bool differs = false;
  // Nearly always nothing differs: all are compared, then the first is looked for.
  const auto compare = [&](auto zero, const auto* wanted, const auto& stored) {
    using Bits = decltype(zero);
    each_value<Bits>(p, [&](std::size_t i, const std::byte* at) {
      auto value = zero;
      std::memcpy(&value, at, sizeof value);
      differs |= value != stored(wanted[i]);
    });
    bool found = false;
    if (!differs) return;
    each_value<Bits>(p, [&](std::size_t i, const std::byte* at) {
      auto value = zero;
      std::memcpy(&value, at, sizeof value);
      if (value != stored(wanted[i]) && !found) found = true, first = i;
    });
  };
  if (slot == Slot::attend) {
    compare(std::uint8_t{}, problem.mask.attend->attend.data(),
            [](std::uint8_t attend) { return attend; });
  } else {
    with_width(p.bytes, [&](auto zero) {
      compare(zero, input_tensor(problem, slot)->bits.data(),
              [](std::uint64_t bits) { return static_cast<decltype(zero)>(bits); });
    });
  }
  if (differs) {
    faults.push_back({Fault::Kind::input_changed, std::string(slot_name(slot)),
                      place_name(slot_name(slot), p.extents, first)});
  }
  if (p.gaps) {
    each_element(p, [&](std::size_t, std::byte* at) {
      std::memset(at, canary(p, poison), static_cast<std::size_t>(p.bytes));
    });
  }
}

// Compares one output of both calls with the poisons that it held.
void check_written(std::string_view tensor, Format format,
                   const std::array<std::int64_t, 4>& extents,
                   const std::vector<std::uint64_t>& first,
                   const std::vector<std::uint64_t>& second, std::vector<Fault>& faults) {
  std::size_t unwritten = 0, depends = 0, unwritten_at = 0, depends_at = 0;
  bool depends_on_nan = false;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const bool kept_nan = first[i] == poison_bits(format, Poison::nan, i);
    const bool kept_finite = second[i] == poison_bits(format, Poison::finite, i);
    if (!kept_nan && !kept_finite) continue;
    if (kept_nan && kept_finite) {
      if (unwritten++ == 0) unwritten_at = i;
    } else if (first[i] != second[i]) {  // an honest result could be the poison's bits, but twice
      if (depends++ == 0) depends_at = i, depends_on_nan = kept_nan;
    }
  }
  const auto more = [](std::size_t count) {
    return count > 1 ? fmt::format(" and {} more", count - 1) : std::string();
  };
  if (unwritten > 0) {
    faults.push_back({Fault::Kind::unwritten, std::string(tensor),
                      place_name(tensor, extents, unwritten_at) + more(unwritten)});
  }
  if (depends > 0) {
    faults.push_back(
        {Fault::Kind::nondeterministic_poison, std::string(tensor),
         fmt::format("{}{} kept what lay in the output before the call when that was {}",
                     place_name(tensor, extents, depends_at), more(depends),
                     depends_on_nan ? "NaN" : "a number")});
  }
}

}  // namespace

void check_memory(const Pieces& pieces, const Problem& problem, Poison poison, bool inputs_sealed,
                  std::vector<Fault>& faults) {
  for (std::size_t n = 0; n < slot_count; ++n) {
    const Piece& p = pieces[n];
    if (!p.present) continue;
    const auto slot = static_cast<Slot>(n);
    if (n < input_slots) {
      if (inputs_sealed) continue;
      check_input(p, slot, problem, poison, faults);
    }
    check_canaries(p, slot, poison, faults);
  }
}

void drop_repeated_faults(std::vector<Fault>& faults) {
  std::vector<Fault> kept;
  for (Fault& fault : faults) {
    const bool known = std::any_of(kept.begin(), kept.end(), [&](const Fault& other) {
      return other.kind == fault.kind && other.tensor == fault.tensor;
    });
    if (!known) kept.push_back(std::move(fault));
  }
  faults = std::move(kept);
}

void join(Outputs first, Outputs second, Observation& observation) {
  check_written("o", first.o.format, first.o.extents, first.o.bits, second.o.bits,
                observation.faults);
  const auto& e = first.o.extents;
  check_written("lse", first.lse_format, {e[0], e[1], e[2], 1}, first.lse, second.lse,
                observation.faults);
  if (!(first == second)) observation.repeats.push_back(std::move(second));
  observation.outputs = std::move(first);
}

}  // namespace qkvet
