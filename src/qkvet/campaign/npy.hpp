// Tensors from numpy's .npy files, read strictly: a dump of a real run comes from anywhere.
#pragma once

#include <cstdint>
#include <optional>
#include <qkvet/num/format.hpp>
#include <string_view>
#include <vector>

namespace qkvet {

/// A C-ordered array: floats as bits of `format`, or booleans as 0 and 1 (format absent).
struct NpyArray {
  std::optional<Format> format;
  std::vector<std::int64_t> shape;
  std::vector<std::uint64_t> bits;
};

/// What two bytes without a numeric type are: the format has no name for bf16, so ml_dtypes saves
/// it as '|V2' (and others as '<u2' or '<i2').
enum class RawPairs : std::uint8_t { refused, bfloat16 };

/// The whole file in `bytes`. Little-endian f2, f4, f8 and booleans in C order are read, and bf16
/// if the caller says that raw pairs of bytes are that; every other dtype, pickles, big-endian and
/// Fortran order are refused by name. InputError(bad_data) with `source`, field, value and a hint,
/// before anything of the declared size is allocated.
[[nodiscard]] NpyArray read_npy(std::string_view bytes, std::string_view source,
                                RawPairs raw = RawPairs::refused);

}  // namespace qkvet
