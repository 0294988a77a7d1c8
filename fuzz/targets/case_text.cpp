// case_text: the reader of `qk1:` text. What it accepts is written canonically, and reading that
// gives the same problem and the same text.
#include <cctype>
#include <qkvet/problem/text.hpp>

#include "fuzz/parser_target.hpp"

namespace qkvet::fuzz {
namespace {

/// Texts that declare more than a fuzzer's memory are left out: their sizes are tested elsewhere.
bool is_small(std::string_view input) {
  const std::string_view shape = input.substr(0, input.find('/'));
  double product = 1;
  for (std::size_t n = 0; n < shape.size();) {
    double number = 0;
    bool digits = false;
    for (; n < shape.size() && std::isdigit(static_cast<unsigned char>(shape[n])) != 0; ++n) {
      number = 10 * number + (shape[n] - '0');
      digits = true;
    }
    if (digits && number > 1) product *= number;
    if (!digits) ++n;
  }
  return product <= 1e5;
}

}  // namespace

void parse_and_compare(std::string_view input) {
  if (!is_small(input)) return;
  const Problem problem = read_case(input, "input");
  const std::string line = write_case(problem);
  const Problem again = read_case(line, "written line");
  must(again == problem, "case_text: reading the written line gives another problem");
  must(write_case(again) == line, "case_text: the written line is not canonical");
  must(read_case(write_case_lines(problem), "written file") == problem,
       "case_text: reading the written file gives another problem");
}

}  // namespace qkvet::fuzz
