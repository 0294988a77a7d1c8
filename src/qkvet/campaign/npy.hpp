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

/// The whole file in `bytes`. Little-endian f4, f8 and booleans in C order are read; every other
/// dtype, pickles, big-endian and Fortran order are refused by name. InputError(bad_data) with
/// `source`, field, value and a hint, before anything of the declared size is allocated.
[[nodiscard]] NpyArray read_npy(std::string_view bytes, std::string_view source);

}  // namespace qkvet
