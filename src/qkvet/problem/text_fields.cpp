// Cuts a case text into fields. Lines may break before a '/'; comments and empty lines are skipped.
#include <qkvet/num/error.hpp>
#include <qkvet/problem/text_fields.hpp>

namespace qkvet::detail {
namespace {

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

[[noreturn]] void no_case(std::string_view source, std::size_t line, const std::string& what) {
  Field{source, {}, {}, line, false}.fail(
      what + " is no case (it begins with 'qk1:b1.hq1.hk1.l1.s1.dk1.dv1/f32/')");
}

}  // namespace

std::string shown(std::string_view text) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out = "'";
  for (char c : text.substr(0, 40)) {
    if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      out += {'\\', 'x', digits[(c >> 4) & 15], digits[c & 15]};
    }
  }
  return out + (text.size() > 40 ? "...'" : "'");
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t at = text.find(separator);
    out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

void Field::fail(const std::string& message) const {
  std::string where = std::string(source) + ":" + std::to_string(line) + ": ";
  if (!key.empty()) where += "field " + shown(key) + ": ";
  throw InputError(ExitCode::bad_data, where + message);
}

std::vector<Field> split_fields(std::string_view text, std::string_view source) {
  std::vector<Field> fields;
  std::size_t number = 0;
  for (std::string_view line : split(text, '\n')) {
    ++number;
    line = trimmed(line);
    if (line.empty() || (line.front() == '#' && !fields.empty())) continue;
    if (fields.empty()) {
      if (line.substr(0, 4) != "qk1:") no_case(source, number, shown(line));
    } else {
      if (line.front() != '/') {
        Field{source, {}, {}, number, false}.fail(
            shown(line) + " follows the case (a line of it begins with '/', a comment with '#')");
      }
      line.remove_prefix(1);
    }
    for (std::string_view field : split(line, '/')) {
      const std::size_t colon = field.find(':');
      if (field.empty()) {
        Field{source, {}, {}, number, false}.fail("an empty field (a '/' too many)");
      }
      const bool bare = colon == std::string_view::npos;
      const std::string_view value = bare ? std::string_view{} : field.substr(colon + 1);
      fields.push_back({source, field.substr(0, colon), value, number, bare});
    }
  }
  if (fields.empty()) no_case(source, 1, "empty text");
  return fields;
}

}  // namespace qkvet::detail
