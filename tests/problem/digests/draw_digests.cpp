// Draws the cases of a golden file and compares their digests. Built at several optimisation levels
// by every compiler: same seed, same bits. `draw_digests --write > golden.txt` renews the file on
// purpose.
#include <cstdio>
#include <fstream>
#include <qkvet/problem/draw.hpp>
#include <string>

namespace {

using namespace qkvet;

constexpr std::uint64_t listed = 60;     // one line each
constexpr std::uint64_t summed = 2'000;  // the rest in one line

Drawn drawn_from(std::uint64_t number) {
  Domain domain;
  if (number % 2 == 1) {
    domain.formats = {Format::binary16, Format::bfloat16, Format::binary32, Format::binary64};
  }
  domain.work_budget = 50'000;
  Choices choices = Choices::from_seed(mix(number));
  return draw(choices, domain);
}

std::uint64_t as_number(const std::string& hex) { return std::stoull(hex, nullptr, 16); }

std::vector<std::string> lines() {
  std::vector<std::string> out;
  std::uint64_t sum = 0;
  for (std::uint64_t number = 0; number < listed + summed; ++number) {
    const Drawn drawn = drawn_from(number);
    const std::string hash = digest(drawn.problem);
    if (number < listed) {
      out.push_back(std::to_string(number) + " " + hash + " " + std::string(drawn.stratum));
    } else {
      sum = mix(sum ^ as_number(hash));
    }
  }
  out.push_back("others " + std::to_string(sum));
  return out;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string argument = count > 1 ? arguments[1] : "";
  if (argument == "--write") {
    for (const std::string& line : lines()) std::printf("%s\n", line.c_str());
    return 0;
  }
  std::ifstream file(argument);
  int differing = 0;
  for (const std::string& line : lines()) {
    std::string golden;
    if (std::getline(file, golden) && golden == line) continue;
    std::printf("golden: %s\ndrawn:  %s\n", golden.c_str(), line.c_str());
    ++differing;
  }
  if (differing != 0) std::printf("%d lines of %s differ\n", differing, argument.c_str());
  return differing == 0 ? 0 : 1;
}
