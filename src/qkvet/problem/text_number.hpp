// One number of a case text: small decimal integers and hex floats, exact in both directions.
// Internal.
#pragma once

#include <cstdint>
#include <optional>
#include <qkvet/num/format.hpp>
#include <string>
#include <string_view>

namespace qkvet::detail {

/// "0", "-0", "17", "0x1.8p-3", "inf", "-inf", "nan" (the default quiet one), "bits:0x7fa00001".
[[nodiscard]] std::string write_number(Format format, std::uint64_t bits);

/// The encoding that the text stands for, or absent with a reason in `why`: a number is never
/// rounded.
[[nodiscard]] std::optional<std::uint64_t> read_number(Format format, std::string_view text,
                                                       std::string& why);

/// A whole decimal number; absent if the text is anything else or overflows.
[[nodiscard]] std::optional<std::int64_t> read_integer(std::string_view text);

}  // namespace qkvet::detail
