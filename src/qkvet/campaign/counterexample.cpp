#include <fmt/format.h>

#include <qkvet/campaign/counterexample.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/text.hpp>

namespace qkvet {
namespace {

/// Takes the first line off `text`.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

}  // namespace

std::string write_counterexample(const Counterexample& example) {
  std::string text = write_case(example.problem) + "\n";
  for (const auto& [key, value] : example.about) {
    std::string line = fmt::format("# {}: {}", key, value);
    for (char& c : line) {
      if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    }
    text += line + "\n";
  }
  return text;
}

Counterexample read_counterexample(std::string_view text, std::string_view source) {
  std::string body;  // The case, its comment lines emptied so that line numbers stay right.
  Counterexample example;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = next_line(text);
    if (!line.starts_with('#')) {
      body += std::string(line) + "\n";
      continue;
    }
    body += "\n";
    const std::size_t colon = line.find(": ");
    if (!line.starts_with("# ") || colon == std::string_view::npos) continue;  // A comment.
    const std::string key(line.substr(2, colon - 2));
    if (!example.about.emplace(key, line.substr(colon + 2)).second) {
      throw InputError(
          ExitCode::bad_data,
          fmt::format("{}:{}: '{}' is given twice; remove one of the lines", source, number, key));
    }
  }
  while (!body.empty() && body.back() == '\n') body.pop_back();
  example.problem = read_case(body, source);
  return example;
}

}  // namespace qkvet
