// A fuzz input as bytes. Fixed places for the seeds: whatever an engine does to a byte there draws
// one part anew and leaves the others; two inputs spliced there have some parts of the one, the
// others of the other.
#include <algorithm>
#include <qkvet/campaign/fuzz_input.hpp>
#include <utility>

namespace qkvet {
namespace {

constexpr std::size_t seed_bytes = 8,
                      record_bytes = 5;  // A record: part, skip and count, then bytes.

void put(std::uint8_t*& at, std::uint64_t value, std::size_t count) {
  for (std::size_t n = 0; n < count; ++n) *at++ = static_cast<std::uint8_t>(value >> (8 * n));
}

std::uint64_t get(std::span<const std::uint8_t>& bytes, std::size_t count) {
  std::uint64_t value = 0;
  if (count == 8 && bytes.size() >= 8) {  // one load where the processor has the lowest byte first
    for (int n = 0; n < 8; ++n)
      value |= std::uint64_t{bytes[static_cast<std::size_t>(n)]} << (8 * n);
    bytes = bytes.subspan(8);
    return value;
  }
  const std::size_t there = std::min(count, bytes.size());
  for (std::size_t n = 0; n < there; ++n) value |= std::uint64_t{bytes[n]} << (8 * n);
  bytes = bytes.subspan(there);
  return value;
}

bool is_recorded(const ChoicePart& part) { return !part.bytes.empty() || part.skip != 0; }

}  // namespace

std::vector<std::uint8_t> to_fuzz_bytes(const FuzzInput& input) {
  std::size_t size = seed_bytes * input.size();
  for (const ChoicePart& part : input) {
    if (is_recorded(part)) size += record_bytes + part.bytes.size();
  }
  std::vector<std::uint8_t> bytes(size);
  std::uint8_t* at = bytes.data();
  for (const ChoicePart& part : input) put(at, part.seed, seed_bytes);
  for (std::size_t n = 0; n < input.size(); ++n) {
    const ChoicePart& part = input[n];
    if (!is_recorded(part)) continue;
    put(at, n, 1);
    put(at, part.skip, 2);
    put(at, part.bytes.size(), 2);
    at = std::copy(part.bytes.begin(), part.bytes.end(), at);
  }
  return bytes;
}

FuzzInput from_fuzz_bytes(std::span<const std::uint8_t> bytes, FuzzInput memory) {
  FuzzInput input = std::move(memory);
  input.resize(draw_parts);
  for (ChoicePart& part : input) {
    part.bytes.clear();
    part.skip = 0;
    part.seed = get(bytes, seed_bytes);
  }
  while (!bytes.empty()) {
    ChoicePart& part = input[get(bytes, 1) % draw_parts];
    part.skip = get(bytes, 2);
    const std::uint64_t said = get(bytes, 2);
    const auto written = bytes.first(std::min<std::size_t>(said, bytes.size()));
    part.bytes.assign(written.begin(), written.end());
    bytes = bytes.subspan(written.size());
  }
  return input;
}

}  // namespace qkvet
