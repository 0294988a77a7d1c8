#include <qkvet/report/wrap.hpp>
#include <utility>

namespace qkvet {
namespace {

constexpr std::size_t columns = 110;

/// "[arithmetic]" of a field's text, or empty.
std::string section_of(const std::string& field) {
  const std::size_t open = field.find(", [");
  const std::size_t close = field.find(']', open == field.npos ? 0 : open);
  if (open == field.npos || close == field.npos) return "";
  return field.substr(open + 2, close - open - 1);
}

}  // namespace

std::string wrapped(const std::string& head, const std::vector<std::string>& items,
                    const std::string& indent) {
  std::string text, line = head;
  for (const std::string& item : items) {
    if (line.size() + 1 + item.size() > columns) {
      text += line + "\n";
      line = indent;
      line += item;
    } else {
      line += ' ';
      line += item;
    }
  }
  return text + line + "\n";
}

std::string assumed_lines(const std::vector<std::string>& fields, const std::string& indent) {
  std::vector<std::pair<std::string, std::vector<std::string>>> sections;
  for (const std::string& field : fields) {
    const std::string section = section_of(field);
    if (sections.empty() || sections.back().first != section) sections.push_back({section, {}});
    const std::size_t meaning = section.empty() ? field.npos : field.find(" (");
    sections.back().second.push_back(field.substr(0, meaning) + ",");
  }
  std::string text;
  for (auto& [section, items] : sections) {
    items.back().pop_back();
    text += wrapped(indent + section, items, indent + "  ");
  }
  return text;
}

}  // namespace qkvet
