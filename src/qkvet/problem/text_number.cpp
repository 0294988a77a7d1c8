// Numbers of a case text. No libc conversion takes part: they depend on the locale and may round.
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <qkvet/problem/text_number.hpp>

namespace qkvet::detail {
namespace {

constexpr double decimal_limit = 1e6;  // integers below it are written in decimal

std::string hex_digits(std::uint64_t word, int digits) {
  std::string out;
  for (int n = digits; n-- > 0;) out += "0123456789abcdef"[(word >> (4 * n)) & 15];
  return out;
}

/// |x| > 0, finite.
std::string hex_float(double x) {
  const int exponent = std::ilogb(x);
  const auto bits = std::bit_cast<std::uint64_t>(std::ldexp(x, -exponent));
  std::string fraction = hex_digits(bits & ((std::uint64_t{1} << 52) - 1), 13);
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return "0x1" + (fraction.empty() ? "" : "." + fraction) + "p" + std::to_string(exponent);
}

/// magnitude * 2^exponent as an encoding, if the format has it.
std::optional<std::uint64_t> exact(Format format, bool negative, std::uint64_t magnitude,
                                   std::int64_t exponent, std::string& why) {
  const double sign = negative ? -1.0 : 1.0;
  if (magnitude == 0) return encode(format, sign * 0.0);
  const int zeros = std::countr_zero(magnitude);
  magnitude >>= zeros;
  exponent += zeros;
  const FormatInfo& f = info(format);
  const auto width = static_cast<int>(std::bit_width(magnitude));
  if (width > f.precision || exponent < f.e_min - (f.precision - 1) ||
      exponent + width - 1 > f.e_max) {
    why = "is not a number of " + std::string(f.name);
    return std::nullopt;
  }
  return encode(format,
                sign * std::ldexp(static_cast<double>(magnitude), static_cast<int>(exponent)));
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

/// What follows "0x": digits with one point at most, then p and an exponent.
std::optional<std::uint64_t> read_hex(Format format, bool negative, std::string_view text,
                                      std::string& why) {
  why = "is not a hex float such as 0x1.8p-3";
  std::uint64_t magnitude = 0;
  std::int64_t exponent = 0;
  bool point = false, any = false;
  std::size_t at = 0;
  for (; at < text.size() && text[at] != 'p'; ++at) {
    if (text[at] == '.' && !point) {
      point = true;
      continue;
    }
    const int digit = hex_value(text[at]);
    if (digit < 0) return std::nullopt;
    if ((magnitude >> 60) != 0) {
      why = "has more than 16 hex digits";
      return std::nullopt;
    }
    magnitude = magnitude << 4 | static_cast<std::uint64_t>(digit);
    if (point) exponent -= 4;
    any = true;
  }
  if (!any || at == text.size()) return std::nullopt;
  const std::optional<std::int64_t> power = read_integer(text.substr(at + 1));
  if (!power || *power < -100'000 || *power > 100'000) return std::nullopt;
  return exact(format, negative, magnitude, exponent + *power, why);
}

std::optional<std::uint64_t> read_bits(Format format, std::string_view text, std::string& why) {
  const std::size_t digits = static_cast<std::size_t>(2 * info(format).bytes);
  std::uint64_t bits = 0;
  bool good = text.substr(0, 2) == "0x" && text.size() == digits + 2;
  for (char c : good ? text.substr(2) : std::string_view{}) {
    good = good && hex_value(c) >= 0;
    bits = bits << 4 | static_cast<std::uint64_t>(hex_value(c) & 15);
  }
  if (good) return bits;
  why = "is not bits:0x and " + std::to_string(digits) + " hex digits";
  return std::nullopt;
}

/// A decimal fraction is refused with the hex float to write instead.
std::string hint_for(std::string_view text) {
  double x = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error == std::errc{} && end == text.data() + text.size() && std::isfinite(x)) {
    return "is neither an integer nor a hex float; write " +
           write_number(Format::binary64, encode(Format::binary64, x));
  }
  return "is not a number: integer, hex float (0x1.8p-3), inf, nan or bits:0x...";
}

}  // namespace

std::optional<std::int64_t> read_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string write_number(Format format, std::uint64_t bits) {
  if (is_nan(format, bits)) {
    if (same_bits(bits, encode(format, std::numeric_limits<double>::quiet_NaN()))) return "nan";
    return "bits:0x" + hex_digits(bits, 2 * info(format).bytes);
  }
  const double x = decode(format, bits);
  const std::string sign = std::signbit(x) ? "-" : "";
  const double magnitude = std::fabs(x);
  if (std::isinf(x)) return sign + "inf";
  if (magnitude < decimal_limit) {
    const auto integer = static_cast<std::int64_t>(magnitude);
    const double rest = magnitude - static_cast<double>(integer);
    if (!(rest > 0)) return sign + std::to_string(integer);
  }
  return sign + hex_float(magnitude);
}

std::optional<std::uint64_t> read_number(Format format, std::string_view text, std::string& why) {
  if (text == "nan") return encode(format, std::numeric_limits<double>::quiet_NaN());
  if (text.substr(0, 5) == "bits:") return read_bits(format, text.substr(5), why);
  const bool negative = text.substr(0, 1) == "-";
  const std::string_view rest = text.substr(negative ? 1 : 0);
  if (rest == "inf") {
    const double infinity = std::numeric_limits<double>::infinity();
    return encode(format, negative ? -infinity : infinity);
  }
  if (rest.substr(0, 2) == "0x") return read_hex(format, negative, rest.substr(2), why);
  const std::optional<std::int64_t> integer = read_integer(rest);
  if (integer && *integer >= 0) {
    return exact(format, negative, static_cast<std::uint64_t>(*integer), 0, why);
  }
  why = hint_for(text);
  return std::nullopt;
}

}  // namespace qkvet::detail
