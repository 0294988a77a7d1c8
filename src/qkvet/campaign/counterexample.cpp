#include <fmt/format.h>

#define XXH_INLINE_ALL
#define XXH_VECTOR 0  // scalar: short inputs, and no vector intrinsics in every build
#include <xxhash.h>

#include <optional>
#include <qkvet/campaign/counterexample.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/text.hpp>

namespace qkvet {
namespace {

constexpr std::string_view version_key = "case-file", checksum_key = "checksum";

/// Takes the first line off `text`.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

bool is_checksum(std::string_view line) {
  return line.starts_with(fmt::format("# {}: ", checksum_key));
}

[[noreturn]] void bad(std::string_view source, int line, std::string_view what) {
  throw InputError(ExitCode::bad_data, fmt::format("{}:{}: {}", source, line, what));
}

/// What a file says of itself, by key, with the number of its line.
struct Said {
  std::string value;
  int line = 0;
};

/// The case, its comment lines emptied so that line numbers stay right, and `# key: value` lines.
struct Parts {
  std::string body;
  std::map<std::string, Said> said;
};

Parts split(std::string_view text, std::string_view source) {
  Parts parts;
  for (int number = 1; !text.empty(); ++number) {
    const std::string_view line = next_line(text);
    if (!line.starts_with('#')) {
      parts.body += std::string(line) + "\n";
      continue;
    }
    parts.body += "\n";
    const std::size_t colon = line.find(": ");
    if (!line.starts_with("# ") || colon == std::string_view::npos) continue;  // A comment.
    const std::string key(line.substr(2, colon - 2));
    if (!parts.said.emplace(key, Said{std::string(line.substr(colon + 2)), number}).second) {
      bad(source, number, fmt::format("'{}' is given twice; remove one of the lines", key));
    }
  }
  while (!parts.body.empty() && parts.body.back() == '\n') parts.body.pop_back();
  return parts;
}

/// "qk2:" and the like: a case text of a version that is not ours.
void need_text_version(std::string_view text, std::string_view source) {
  if (!text.starts_with("qk") || text.starts_with("qk1:")) return;
  const std::string_view rest = text.substr(2, text.find(':') - 2);
  if (rest.empty() || rest.find_first_not_of("0123456789") != std::string_view::npos) return;
  bad(source, 1, fmt::format("case text of version qk{}; this qkvet reads qk1", rest));
}

/// The lines that say whether the file is ours and whole; they are taken out of `said`.
void need_whole(std::map<std::string, Said>& said, std::string_view text, std::string_view source) {
  const auto take = [&](std::string_view key) -> std::optional<Said> {
    const auto node = said.extract(std::string(key));
    if (node.empty()) return std::nullopt;
    return node.mapped();
  };
  const auto version = take(version_key);
  const auto checksum = take(checksum_key);
  if (version && version->value != fmt::format("{}", case_file_version)) {
    bad(source, version->line,
        fmt::format("case file of version '{}'; this qkvet reads version {}", version->value,
                    case_file_version));
  }
  if (version && !checksum) {
    bad(source, version->line,
        "the checksum is missing: truncated? A file written by hand has no 'case-file' line");
  }
  if (!checksum) return;
  const std::string due = checksum_of(text);
  if (checksum->value != due) {
    bad(source, checksum->line,
        fmt::format("checksum '{}', but the file has {}: damaged, or edited (then remove the lines "
                    "'case-file' and 'checksum', or import it again)",
                    checksum->value, due));
  }
}

}  // namespace

std::string checksum_of(std::string_view text) {
  std::string lines;
  lines.reserve(text.size() + 1);
  while (!text.empty()) {
    const std::string_view line = next_line(text);
    if (!is_checksum(line)) lines.append(line).append("\n");
  }
  return fmt::format("{:016x}", XXH3_64bits(lines.data(), lines.size()));
}

std::string write_counterexample(const Counterexample& example) {
  const std::string first =
      fmt::format("{}\n# {}: {}\n", write_case(example.problem), version_key, case_file_version);
  std::string rest;
  for (const auto& [key, value] : example.about) {
    std::string line = fmt::format("# {}: {}", key, value);
    for (char& c : line) {
      if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    }
    rest += line + "\n";
  }
  return fmt::format("{}# {}: {}\n{}", first, checksum_key, checksum_of(first + rest), rest);
}

Counterexample read_counterexample(std::string_view text, std::string_view source) {
  need_text_version(text, source);
  Parts parts = split(text, source);
  need_whole(parts.said, text, source);
  Counterexample example;
  for (auto& [key, said] : parts.said) example.about.emplace(key, std::move(said.value));
  example.problem = read_case(parts.body, source);
  return example;
}

}  // namespace qkvet
