// Compares the digests of enclosures and bounds with a golden file: `bound_digests FILE`. Built at
// several optimisation levels by every compiler: same problem, same bits. After a change of a bound
// that is meant: `bound_digests --write > golden.txt`. Exit 77 (skipped) where the C library
// answers otherwise than the one of the golden file.
#include <cstdio>
#include <fstream>

#include "numbers.hpp"

int main(int count, char** arguments) {
  using namespace qkvet::test;
  const std::string argument = count > 1 ? arguments[1] : "";
  std::vector<DigestLine> lines = digest_lines(10);
  lines.insert(lines.begin(), {"libm", libm_digest()});
  std::ifstream file(argument);
  int differing = 0;
  for (const DigestLine& line : lines) {
    char text[100];
    std::snprintf(text, sizeof text, "%s %016llx", line.name.c_str(),
                  static_cast<unsigned long long>(line.sum));
    if (argument == "--write") {
      std::printf("%s\n", text);
      continue;
    }
    std::string golden;
    if (std::getline(file, golden) && golden == text) continue;
    std::printf("golden:   %s\ncomputed: %s\n", golden.c_str(), text);
    if (line.name == "libm" && golden.starts_with("libm ")) {
      std::printf("another C library or processor: nothing to compare with\n");
      return 77;
    }
    ++differing;
  }
  if (differing == 0) return 0;
  std::printf(
      "%d lines of %s differ. If a bound or an oracle was changed on purpose, and every "
      "compiler and level gives the same: bound_digests --write > %s\n",
      differing, argument.c_str(), argument.c_str());
  return 1;
}
