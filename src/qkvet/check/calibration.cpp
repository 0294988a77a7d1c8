// The text of calibration/critical.txt.
#include <fmt/format.h>

#include <cmath>
#include <qkvet/check/statistics.hpp>
#include <qkvet/num/error.hpp>
#include <sstream>

namespace qkvet {
namespace {

[[noreturn]] void bad(std::string_view source, int line, std::string_view what) {
  throw InputError(ExitCode::bad_data, fmt::format("{}:{}: {}", source, line, what));
}

/// One line: the format, then pairs of a name and a value.
class Line {
 public:
  Line(const std::string& text, std::string_view source, int number)
      : words_(text), source_(source), number_(number) {}

  std::string word(std::string_view what) {
    std::string out;
    if (!(words_ >> out)) bad(source_, number_, fmt::format("{} is missing", what));
    return out;
  }
  void keyword(std::string_view name) {
    const std::string got = word(name);
    if (got != name) bad(source_, number_, fmt::format("expected '{}', got '{}'", name, got));
  }
  double number(std::string_view name) {
    keyword(name);
    const std::string text = word(name);
    std::istringstream in(text);
    double value = 0;
    if (!(in >> value) || !in.eof() || !std::isfinite(value) || value < 0) {
      bad(source_, number_, fmt::format("{} is '{}': a number >= 0 is wanted", name, text));
    }
    return value;
  }
  void end() {
    std::string rest;
    if (words_ >> rest) bad(source_, number_, fmt::format("unexpected '{}'", rest));
  }

 private:
  std::istringstream words_;
  std::string_view source_;
  int number_;
};

}  // namespace

std::string write_calibration(const Calibration& c) {
  std::string out = fmt::format("{} cases {} kernels {} seed {} date {}", info(c.format).name,
                                c.cases, c.kernels, c.seed, c.date);
  for (std::size_t n = 0; n < statistic_count; ++n) {
    out += fmt::format(" {} {:.6g}", statistic_names[n], c.critical[n]);
  }
  return out + "\n";
}

std::vector<Calibration> read_calibrations(std::string_view text, std::string_view source) {
  std::vector<Calibration> out;
  std::istringstream lines{std::string(text)};
  std::string content;
  for (int number = 1; std::getline(lines, content); ++number) {
    if (content.empty() || content.front() == '#') continue;
    Line line(content, source, number);
    Calibration c;
    const std::string name = line.word("format");
    const auto format = format_named(name);
    if (!format) bad(source, number, fmt::format("'{}' is no format", name));
    c.format = *format;
    c.cases = static_cast<std::int64_t>(line.number("cases"));
    c.kernels = static_cast<std::int64_t>(line.number("kernels"));
    c.seed = static_cast<std::uint64_t>(line.number("seed"));
    line.keyword("date");
    c.date = line.word("date");
    for (std::size_t n = 0; n < statistic_count; ++n) c.critical[n] = line.number(statistic_names[n]);
    line.end();
    for (const Calibration& known : out) {
      if (known.format == c.format) bad(source, number, fmt::format("'{}' comes twice", name));
    }
    out.push_back(std::move(c));
  }
  return out;
}

const Calibration* calibration_of(Format format) {
  static const std::vector<Calibration> all =
      read_calibrations(detail::embedded_calibration(), "calibration/critical.txt");
  for (const Calibration& calibration : all) {
    if (calibration.format == format) return &calibration;
  }
  return nullptr;
}

}  // namespace qkvet
