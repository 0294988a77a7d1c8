// The storage formats that qkvet knows: their parameters, exact decoding, and rounding once.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace qkvet {

/// A binary interchange format in which tensors are stored.
enum class Format : std::uint8_t { binary64, binary32, binary16, bfloat16 };

/// Parameters of a Format. `u` is the unit roundoff 2^-p, `eta` the smallest subnormal, `mu` the
/// smallest normal, `max` the largest finite number; all are exact doubles.
struct FormatInfo {
  std::string_view name;  ///< "f64", "f32", "f16", "bf16": the name in case text and on the command line
  int precision;          ///< p, the hidden bit included
  int e_min, e_max;       ///< exponents of the smallest and largest normal number (1.x * 2^e)
  int bytes;
  double u, eta, mu, max;
};

[[nodiscard]] const FormatInfo& info(Format format);
[[nodiscard]] std::optional<Format> format_named(std::string_view name);

/// The exact value of an encoding (every format here is a subset of binary64). A NaN decodes to a NaN.
[[nodiscard]] double decode(Format format, std::uint64_t bits);

/// `value` rounded once to `format`, ties to even; overflow gives infinity, NaN the default quiet NaN.
[[nodiscard]] std::uint64_t encode(Format format, double value);

/// True if both encodings are the same bits.
[[nodiscard]] constexpr bool same_bits(std::uint64_t a, std::uint64_t b) { return a == b; }

[[nodiscard]] bool is_nan(Format format, std::uint64_t bits);
[[nodiscard]] bool is_infinite(Format format, std::uint64_t bits);
[[nodiscard]] bool is_finite(Format format, std::uint64_t bits);

}  // namespace qkvet
