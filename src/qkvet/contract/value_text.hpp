// Values of contract fields as text, both ways, and the list of what a field accepts.
#pragma once

#include <charconv>
#include <qkvet/contract/fields.hpp>
#include <string>
#include <string_view>
#include <type_traits>

namespace qkvet::detail {

/// The largest value of a number field: 2^32 u is a binary32 constant in binary64 arithmetic, and
/// then some.
inline constexpr double largest_number = 4294967296;

inline bool parse_value(std::string_view text, bool& value) {
  value = text == "yes";
  return value || text == "no";
}
inline std::string print_value(bool value) { return value ? "yes" : "no"; }
inline std::string accepted_values(bool /*unused*/) { return "yes, no"; }

inline bool parse_value(std::string_view text, Format& value) {
  const auto format = format_named(text);
  if (format) value = *format;
  return format.has_value();
}
inline std::string print_value(Format value) { return std::string(info(value).name); }
inline std::string accepted_values(Format /*unused*/) { return "f64, f32, f16, bf16"; }

inline bool parse_value(std::string_view text, double& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && 0 <= value &&
         value <= largest_number;
}
inline std::string print_value(double value) {
  char buffer[32];
  const auto result = std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, result.ptr};
}
inline std::string accepted_values(double /*unused*/) { return "a number from 0 to 4294967296"; }

template <class E>
requires std::is_enum_v<E>
bool parse_value(std::string_view text, E& value) {
  int index = 0;
  for (const std::string_view word : Words<E>::list) {
    if (word == text) {
      value = static_cast<E>(index);
      return true;
    }
    ++index;
  }
  return false;
}
template <class E>
requires std::is_enum_v<E> std::string print_value(E value) {
  return std::string(Words<E>::list[static_cast<std::size_t>(value)]);
}
template <class E>
requires std::is_enum_v<E> std::string accepted_values(E /*unused*/) {
  std::string all;
  for (const std::string_view word : Words<E>::list) {
    if (!all.empty()) all += ", ";
    all += word;
  }
  return all;
}

/// A count; `any` is the value that is spelled "any" (no_any: none is).
inline bool parse_count(std::string_view text, int& value, int any) {
  if (text == "any" && any != no_any) {
    value = any;
    return true;
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value != any && 0 <= value &&
         value <= 1048576;
}
inline std::string print_count(int value, int any) {
  return value == any ? "any" : std::to_string(value);
}
inline std::string accepted_counts(int any) {
  return any == no_any
             ? "an integer from 0 to 1048576"
             : "any, or an integer from " + std::to_string(any == 0 ? 1 : 0) + " to 1048576";
}

}  // namespace qkvet::detail
