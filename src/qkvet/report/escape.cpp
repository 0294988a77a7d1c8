// Text that came from a candidate is arbitrary bytes: made printable before it enters a report.
#include <qkvet/report/writers.hpp>

namespace qkvet {
namespace {

/// Length of the well-formed UTF-8 sequence at the start of `text`, 0 if it is not one.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t n) { return static_cast<unsigned char>(text[n]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (std::size_t n = 1; n < length; ++n) {
    if ((byte(n) & 0xc0U) != 0x80) return 0;
  }
  // Overlong forms, surrogates and code points beyond U+10FFFF.
  if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f)) return 0;
  if ((lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f)) return 0;
  return length;
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = sequence_length(text);
    const auto lead = static_cast<unsigned char>(text[0]);
    const bool control = lead == 0x7f || (lead < 0x20 && lead != '\n' && lead != '\t');
    if (length == 0 || control) {
      result += '?';
      text.remove_prefix(1);
      continue;
    }
    result += text.substr(0, length);
    text.remove_prefix(length);
  }
  return result;
}

}  // namespace qkvet
