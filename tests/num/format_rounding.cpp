// format_rounding FORMAT encode|decode: doubles on stdin become 16-bit encodings on stdout, or the
// reverse, all little-endian. For tests in Python.
#include <cstdio>
#include <cstring>
#include <qkvet/num/format.hpp>
#include <string_view>

int main(int argc, char** argv) {
  using namespace qkvet;
  if (argc != 3) return 2;
  const auto format = format_named(argv[1]);
  const bool encodes = std::string_view(argv[2]) == "encode";
  if (!format || info(*format).bytes != 2) return 2;
  double value = 0;
  std::uint16_t bits = 0;
  if (encodes) {
    while (std::fread(&value, sizeof value, 1, stdin) == 1) {
      bits = static_cast<std::uint16_t>(encode(*format, value));
      if (std::fwrite(&bits, sizeof bits, 1, stdout) != 1) return 1;
    }
    return 0;
  }
  while (std::fread(&bits, sizeof bits, 1, stdin) == 1) {
    value = decode(*format, bits);
    if (std::fwrite(&value, sizeof value, 1, stdout) != 1) return 1;
  }
  return 0;
}
