// The fields of a case text: where each stands, and complaints that say so. Internal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace qkvet::detail {

/// One field between two slashes: key:value, or a bare key.
struct Field {
  std::string_view source, key, value;
  std::size_t line = 1;
  bool bare = false;

  /// Throws InputError(bad_data): source, line, field, message.
  [[noreturn]] void fail(const std::string& message) const;
};

/// The fields in order; the first one is "qk1:SHAPE". Views into `text` and `source`.
[[nodiscard]] std::vector<Field> split_fields(std::string_view text, std::string_view source);

/// Up to 40 characters of the text in quotes, control characters escaped.
[[nodiscard]] std::string shown(std::string_view text);

[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

}  // namespace qkvet::detail
