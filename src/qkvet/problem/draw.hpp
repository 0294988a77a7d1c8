// From a stream of choices to a Problem: total, reproducible on every compiler, bounded by a
// Domain.
#pragma once

#include <cstdint>
#include <optional>
#include <qkvet/problem/domain.hpp>
#include <qkvet/problem/features.hpp>
#include <qkvet/problem/problem.hpp>
#include <span>
#include <string_view>
#include <vector>

namespace qkvet {

/// What a draw consists of, in the order of its choices. `front` is for whoever chooses something
/// before the problem.
enum class DrawPart : std::uint8_t {
  front,
  stratum,
  shape,
  scale,
  softcap,
  alibi,
  lse,
  causal,
  window,
  diagonal,
  key_range,
  bool_mask,
  bias,
  rows,  ///< that are emptied or repaired
  values,
  nonfinite,
  sinks,
  layouts,
  call,
};
inline constexpr std::size_t draw_parts = 19;

/// The choices of one part: some bytes, then the endless bytes of a seed from number `skip` on.
struct ChoicePart {
  std::vector<std::uint8_t> bytes;
  std::uint64_t seed = 0, skip = 0;

  bool operator==(const ChoicePart&) const = default;
};

/// A stream of choices: an endless seeded one, or a fuzzer's bytes followed by zeros.
class Choices {
 public:
  [[nodiscard]] static Choices from_seed(std::uint64_t seed);
  [[nodiscard]] static Choices from_bytes(std::span<const std::uint8_t> bytes);
  /// A stream for each part of a draw (the parts of DrawPart, in order): a change in one of them
  /// leaves what the others choose as it was. Requires: `parts` outlives the stream.
  [[nodiscard]] static Choices from_parts(std::span<const ChoicePart> parts);
  /// What follows belongs to this part; matters to a stream of parts only.
  void enter(DrawPart part);

  /// A choice in [0, bound); 0 if bound is 0 or 1. Choice 0 is always the simplest.
  [[nodiscard]] std::uint64_t below(std::uint64_t bound);
  /// A choice in [lo, hi].
  [[nodiscard]] std::int64_t between(std::int64_t lo, std::int64_t hi);
  /// True in `numerator` of `denominator` choices.
  [[nodiscard]] bool chance(std::uint64_t numerator, std::uint64_t denominator);
  /// 64 raw bits.
  [[nodiscard]] std::uint64_t bits();
  /// Uniform in [0, 1) on a grid of 2^-53; exact on every compiler.
  [[nodiscard]] double unit();
  /// Approximately standard normal, made of integer steps only: the same bits everywhere.
  [[nodiscard]] double gaussian();

 private:
  std::uint64_t take(std::size_t count);
  std::uint8_t next_tail_byte();
  std::uint64_t next_tail_word();  // the next eight of those bytes at once

  std::span<const std::uint8_t> bytes_;
  std::uint64_t state_ = 0;
  bool seeded_ = false;
  std::span<const ChoicePart> parts_;  // Then the bytes of state_ follow bytes_, endlessly.
  std::uint64_t tail_at_ = 0, tail_word_ = 0;
};

/// Byte number `index` of the endless stream of bytes that `seed` stands for.
[[nodiscard]] std::uint8_t seeded_byte(std::uint64_t seed, std::uint64_t index);

/// A stratum of values or shapes: its name and the failure it is there to provoke.
struct Stratum {
  std::string_view name;
  std::string_view reason;
};

/// The value strata that `draw` chooses from, in the order of its choices.
[[nodiscard]] std::span<const Stratum> strata();

struct Drawn {
  Problem problem;
  std::string_view stratum;  ///< a name of strata()
};

/// What a case costs, in multiply-adds: `usual` bounds six cases of ten, the others go up to eight and
/// fifty times that, the rarest up to `most`. The domain's budget binds besides.
struct CaseSize {
  std::int64_t usual, most;
};
inline constexpr CaseSize full_size{10'000, 20'000'000};
inline constexpr CaseSize small_size{1'000, 200'000};  ///< what is called several times a case

/// Total: any stream gives a valid Problem inside the domain (or the domain's smallest one; if the
/// domain holds no problem at all, a valid one outside). Wishes are kept where the domain allows and
/// where they agree with each other and with the budget; what the problem has in the end says
/// features_in.
[[nodiscard]] Drawn draw(Choices& choices, const Domain& domain, const FeatureValues& wishes = {},
                         const CaseSize& size = full_size);

/// A small problem inside the domain, found by search: absent if there is none of the simplest
/// shapes.
[[nodiscard]] std::optional<Problem> smallest(const Domain& domain);

/// Multiply-adds of the smallest shape of the domain with rows, keys and channels: no budget below
/// it lets a real problem through. Saturates.
[[nodiscard]] std::int64_t least_work(const Domain& domain);

/// A 64-bit mixer (a bijection with avalanche): seeds of cases from a campaign's seed and a number.
[[nodiscard]] std::uint64_t mix(std::uint64_t x);

}  // namespace qkvet
