// Draws the cases of a golden file and compares their digests. Built at several optimisation levels
// by every compiler: same seed, same bits. `draw_digests --write > golden.txt` renews the file on
// purpose. Even numbers are f32 and f64, the others f16 and bf16 in turn, each with a sum of its
// own: a change that is meant for one of them must leave the lines of the others alone.
#include <array>
#include <cstdio>
#include <fstream>
#include <qkvet/problem/draw.hpp>
#include <string>

namespace {

using namespace qkvet;

constexpr std::uint64_t listed = 60;     // one line each
constexpr std::uint64_t summed = 2'000;  // the rest in one line

constexpr std::array kinds{"f32 f64", "f16", "bf16"};

std::size_t kind_of(std::uint64_t number) { return number % 2 == 0 ? 0 : number % 4 == 1 ? 1 : 2; }

Drawn drawn_from(std::uint64_t number) {
  Domain domain;
  if (kind_of(number) == 1) domain.formats = {Format::binary16};
  if (kind_of(number) == 2) domain.formats = {Format::bfloat16};
  domain.work_budget = 50'000;
  Choices choices = Choices::from_seed(mix(number));
  return draw(choices, domain);
}

std::uint64_t as_number(const std::string& hex) { return std::stoull(hex, nullptr, 16); }

std::vector<std::string> lines() {
  std::vector<std::string> out;
  std::array<std::uint64_t, kinds.size()> sums{};
  for (std::uint64_t number = 0; number < listed + summed; ++number) {
    const Drawn drawn = drawn_from(number);
    const std::string hash = digest(drawn.problem);
    if (number < listed) {
      out.push_back(std::to_string(number) + " " + hash + " " + std::string(drawn.stratum));
    } else {
      std::uint64_t& sum = sums[kind_of(number)];
      sum = mix(sum ^ as_number(hash));
    }
  }
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    out.push_back("others of " + std::string(kinds[kind]) + " " + std::to_string(sums[kind]));
  }
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
