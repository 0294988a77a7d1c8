// The stream of choices behind `draw`: integer steps only, so that every compiler sees the same
// stream.
#include <qkvet/problem/draw.hpp>

namespace qkvet {
namespace {

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;  // 2^64 / phi: the counter's odd step

/// Word number `index` of the endless bytes of a seed.
std::uint64_t word_of(std::uint64_t seed, std::uint64_t index) {
  return mix(seed + golden * (index + 1));
}

}  // namespace

std::uint8_t seeded_byte(std::uint64_t seed, std::uint64_t index) {
  return static_cast<std::uint8_t>(word_of(seed, index / 8) >> (8 * (index % 8)));
}

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9;
  x ^= x >> 27;
  x *= 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

Choices Choices::from_seed(std::uint64_t seed) {
  Choices choices;
  choices.state_ = mix(seed + golden);
  choices.seeded_ = true;
  return choices;
}

Choices Choices::from_bytes(std::span<const std::uint8_t> bytes) {
  Choices choices;
  choices.bytes_ = bytes;
  return choices;
}

Choices Choices::from_parts(std::span<const ChoicePart> parts) {
  Choices choices;
  choices.parts_ = parts;
  choices.enter(DrawPart::front);
  return choices;
}

void Choices::enter(DrawPart part) {
  if (parts_.empty()) return;
  const ChoicePart& now = parts_[static_cast<std::size_t>(part)];
  bytes_ = now.bytes;
  state_ = now.seed;
  tail_at_ = now.skip;
  tail_word_ = word_of(state_, tail_at_ / 8);
}

std::uint8_t Choices::next_tail_byte() {
  if (tail_at_ % 8 == 0) tail_word_ = word_of(state_, tail_at_ / 8);
  return static_cast<std::uint8_t>(tail_word_ >> (8 * (tail_at_++ % 8)));
}

std::uint64_t Choices::next_tail_word() {
  const unsigned inside = 8 * (tail_at_ % 8);
  const std::uint64_t next = word_of(state_, (tail_at_ + 8) / 8);
  if (inside == 0) tail_word_ = word_of(state_, tail_at_ / 8);
  const std::uint64_t word =
      inside == 0 ? tail_word_ : (tail_word_ >> inside) | (next << (64 - inside));
  tail_word_ = next;
  tail_at_ += 8;
  return word;
}

std::uint64_t Choices::take(std::size_t count) {
  if (count == 8 && bytes_.empty() && !parts_.empty()) return next_tail_word();
  const std::uint8_t* from = bytes_.data();
  std::uint64_t word = 0;
  if (bytes_.size() >= count) {
    if (count == 1) {
      word = *from;
    } else if (count == 8) {  // one load where the processor has the lowest byte first
      for (int n = 0; n < 8; ++n) word |= std::uint64_t{from[n]} << (8 * n);
    } else {
      for (std::size_t n = 0; n < count; ++n) word |= std::uint64_t{from[n]} << (8 * n);
    }
    bytes_ = bytes_.subspan(count);
    return word;
  }
  const std::size_t left = bytes_.size();
  for (std::size_t n = 0; n < left; ++n) word |= std::uint64_t{from[n]} << (8 * n);
  bytes_ = {};
  if (parts_.empty()) return word;  // what lies behind the end reads as zeros
  for (std::size_t n = left; n < count; ++n) word |= std::uint64_t{next_tail_byte()} << (8 * n);
  return word;
}

std::uint64_t Choices::bits() {
  if (!seeded_) return take(8);
  state_ += golden;
  return mix(state_);
}

std::uint64_t Choices::below(std::uint64_t bound) {
  if (bound < 2) return 0;
  if (seeded_)
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(bits()) * bound) >> 64);
  // A fuzzer's bytes are precious: a small choice takes one of them.
  if (bound <= 256) return static_cast<std::uint32_t>(take(1)) % static_cast<std::uint32_t>(bound);
  return take(bound <= 65536 ? 2 : 8) % bound;
}

std::int64_t Choices::between(std::int64_t lo, std::int64_t hi) {
  if (hi <= lo) return lo;
  const std::uint64_t width = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo);
  const std::uint64_t step = width == ~std::uint64_t{0} ? bits() : below(width + 1);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) + step);
}

bool Choices::chance(std::uint64_t numerator, std::uint64_t denominator) {
  return below(denominator) + numerator >= denominator && numerator > 0;
}

double Choices::unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

double Choices::gaussian() {
  // The sum of four signed 16-bit lanes has standard deviation 65536 / sqrt(3).
  const std::uint64_t word = bits();
  std::int64_t sum = 0;
  for (int lane = 0; lane < 4; ++lane) {
    sum += static_cast<std::int16_t>(static_cast<std::uint16_t>(word >> (16 * lane)));
  }
  return static_cast<double>(sum) * 0x1.bb67ae8584caap-16;  // sqrt(3) / 65536
}

}  // namespace qkvet
