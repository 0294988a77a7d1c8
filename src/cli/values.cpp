#include "cli/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/domain.hpp>

namespace qkvet::cli {
namespace {

[[noreturn]] void refuse(std::string_view option, std::string_view text, std::string_view hint) {
  throw InputError(ExitCode::usage, fmt::format("{} '{}': {}", option, text, hint));
}

template <typename Number>
bool whole(std::string_view text, Number& value, int base = 10) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::uint64_t read_seed(std::string_view option, std::string_view text) {
  std::uint64_t value = 0;
  const bool hex = text.starts_with("0x");
  if (!whole(hex ? text.substr(2) : text, value, hex ? 16 : 10)) {
    refuse(option, text,
           "a seed is a whole number from 0 to 18446744073709551615, or 0x... in hex");
  }
  return value;
}

std::int64_t read_count(std::string_view option, std::string_view text, std::int64_t min,
                        std::int64_t max) {
  std::int64_t value = 0;
  if (!whole(text, value) || value < min || value > max) {
    refuse(option, text, fmt::format("give a whole number from {} to {}", min, max));
  }
  return value;
}

double read_number(std::string_view option, const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !std::isfinite(value)) {
    refuse(option, text, "give a finite number, for example 0.125 or 0x1p-3");
  }
  return value;
}

double read_seconds(std::string_view option, std::string_view text) {
  std::string_view digits = text;
  double unit = 1;
  if (digits.ends_with("ms")) {
    unit = 1e-3;
    digits.remove_suffix(2);
  } else if (digits.ends_with("s")) {
    digits.remove_suffix(1);
  } else if (digits.ends_with("m")) {
    unit = 60;
    digits.remove_suffix(1);
  }
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  const bool read = error == std::errc() && end == digits.data() + digits.size();
  if (!read || !(value * unit > 0) || !(value * unit <= 86400)) {
    refuse(option, text, "give a time above zero and at most a day, for example 10s, 500ms or 2m");
  }
  return value * unit;
}

Format read_format(std::string_view option, std::string_view text) {
  const std::optional<Format> format = format_named(text);
  if (!format) refuse(option, text, "formats are f32, f64, bf16 and f16");
  return *format;
}

void add_formats(std::string_view option, std::string_view text, std::vector<Format>& formats) {
  const std::vector<Format> more =
      text == "all" ? all_formats() : std::vector{read_format(option, text)};
  for (const Format format : more) {
    if (std::find(formats.begin(), formats.end(), format) == formats.end()) {
      formats.push_back(format);
    }
  }
}

}  // namespace qkvet::cli
