#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <qkvet/campaign/fuzz_input.hpp>

namespace qkvet {
namespace {

// Most bytes of a part that are written down; what lies behind is the seed's: it is redrawn, not
// edited.
constexpr std::size_t most_bytes = std::size_t{1} << 12;

// Inputs that were written before parts were added to the draw: they have no choices for those.
constexpr std::size_t first_parts = 18;

ChoicePart& part_of(FuzzInput& input, DrawPart part) {
  return input[static_cast<std::size_t>(part)];
}

/// Writes the first `length` bytes of the part down.
void write_down(ChoicePart& part, std::size_t length) {
  while (part.bytes.size() < std::min(length, most_bytes)) {
    part.bytes.push_back(seeded_byte(part.seed, part.skip++));
  }
}

std::uint8_t draw_byte(Choices& random, std::uint8_t now) {
  switch (random.below(6)) {
    case 0:
      return static_cast<std::uint8_t>(now + 1);
    case 1:
      return static_cast<std::uint8_t>(now - 1);
    case 2:
      return 0;  // the simplest choice
    default:
      return static_cast<std::uint8_t>(random.bits());
  }
}

/// Overwrites, inserts or erases a few bytes near the front of the part, or anywhere in the values.
void edit(Choices& random, FuzzInput& input, std::size_t values) {
  const std::size_t which = random.below(draw_parts);
  ChoicePart& part = input[which];
  const bool of_values = which == static_cast<std::size_t>(DrawPart::values);
  const std::size_t reach = of_values ? std::max<std::size_t>(values, 1) : 12;
  const std::size_t position = std::min(random.below(reach), most_bytes - 16);
  write_down(part, position + 4);
  const auto at = part.bytes.begin() + static_cast<std::ptrdiff_t>(position);
  const std::int64_t count = random.between(1, 3);
  switch (random.below(4)) {
    case 0:
      for (std::int64_t n = 0; n < count; ++n) {
        part.bytes.insert(part.bytes.begin() + static_cast<std::ptrdiff_t>(position),
                          static_cast<std::uint8_t>(random.bits()));
      }
      break;
    case 1:
      part.bytes.erase(at, at + count);
      break;
    default:
      *at = draw_byte(random, *at);
      break;
  }
}

void step(Choices& random, FuzzInput& input, const FuzzInput& other, std::size_t values) {
  const std::size_t which = random.below(draw_parts);
  switch (random.below(8)) {
    case 0:
      input[which] = {{}, random.bits(), 0};
      break;
    case 1:
    case 2:  // the last of a hundred choices, by which a part that may be there is there
      input[which] = {{99}, random.bits(), 0};
      break;
    case 3:
    case 4:
      input[which] = other[which];
      break;
    case 5:  // sizes are worth a look of their own
      part_of(input, DrawPart::shape) = {{}, random.bits(), 0};
      break;
    default:
      edit(random, input, values);
      break;
  }
}

bool read_hex(std::string_view text, std::uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size();
}

std::optional<ChoicePart> read_part(std::string_view text) {
  const std::size_t plus = text.find('+'), end = text.find('@');
  if (plus == text.npos || end == text.npos || end < plus || plus % 2 != 0) return std::nullopt;
  if (plus / 2 > most_bytes) return std::nullopt;
  ChoicePart part;
  for (std::size_t n = 0; n < plus; n += 2) {
    std::uint64_t byte = 0;
    if (!read_hex(text.substr(n, 2), byte)) return std::nullopt;
    part.bytes.push_back(static_cast<std::uint8_t>(byte));
  }
  if (!read_hex(text.substr(plus + 1, end - plus - 1), part.skip)) return std::nullopt;
  if (!read_hex(text.substr(end + 1), part.seed)) return std::nullopt;
  return part;
}

}  // namespace

FuzzInput fresh_input(Choices& random) {
  FuzzInput input(draw_parts);
  for (ChoicePart& part : input) part.seed = random.bits();
  return input;
}

FuzzInput mutated(Choices& random, FuzzInput parent, const FuzzInput& other, std::size_t values) {
  FuzzInput input = std::move(parent);
  if (random.chance(1, 8)) {
    for (std::size_t n = 0; n < draw_parts; ++n) {
      if (random.chance(1, 2)) input[n] = other[n];
    }
  }
  const std::int64_t steps = std::int64_t{1} << random.below(3);
  for (std::int64_t n = 0; n < steps; ++n) step(random, input, other, values);
  return input;
}

std::string write_fuzz_input(const FuzzInput& input) {
  std::string text;
  for (const ChoicePart& part : input) {
    if (!text.empty()) text += ',';
    text += fmt::format("{:02x}+{:x}@{:x}", fmt::join(part.bytes, ""), part.skip, part.seed);
  }
  return text;
}

std::optional<FuzzInput> read_fuzz_input(std::string_view text) {
  FuzzInput input;
  while (input.size() < draw_parts) {
    const std::size_t comma = std::min(text.find(','), text.size());
    auto part = read_part(text.substr(0, comma));
    if (!part) return std::nullopt;
    input.push_back(std::move(*part));
    if (comma == text.size()) break;
    text.remove_prefix(comma + 1);
    if (input.size() == draw_parts) return std::nullopt;
  }
  if (input.size() < first_parts) return std::nullopt;
  input.resize(draw_parts);
  return input;
}

}  // namespace qkvet
