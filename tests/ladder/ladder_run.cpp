// ladder_run [OUTPUTS] [FIRST_SEED]: the ladder against Arb and MPFR on that many outputs of hostile
// problems; prints which rung decided how much. 0 if there is no disagreement and nothing undecided.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "compare.hpp"

namespace {

using qkvet::Format;
using qkvet::test::Counts;

void print(const char* name, const Counts& c) {
  std::printf("| %s | %ld | %ld |", name, c.outputs, c.values);
  for (const std::int64_t n : c.by_step) {
    std::printf(" %.5f |", static_cast<double>(n) / static_cast<double>(c.values));
  }
  std::printf(" %.4f |\n",
              static_cast<double>(c.decided_by_arb_doubles) / static_cast<double>(c.values));
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t wanted = argc > 1 ? std::atoll(argv[1]) : 1'000'000;
  const auto first = static_cast<std::uint64_t>(argc > 2 ? std::atoll(argv[2]) : 1'000'000);
  if (wanted <= 0) {
    std::fputs("usage: ladder_run [OUTPUTS] [FIRST_SEED]\n", stderr);
    return 2;
  }
  std::puts("| to | outputs | with LSE and weights | first | sharp | compensated | exact | Arb | "
            "undecided | undefined | by Arb's doubles |");
  std::puts("|---|---|---|---|---|---|---|---|---|---|---|");
  int bad = 0;
  for (const Format format :
       {Format::binary64, Format::binary32, Format::binary16, Format::bfloat16}) {
    Counts counts;
    for (std::uint64_t seed = first; counts.outputs < wanted / 4; ++seed) {
      for (int s = 0; s < qkvet::test::strata; ++s) {
        const auto stratum = static_cast<qkvet::test::Stratum>(s);
        const Format input = seed % 4 != 0 ? format
                                           : static_cast<Format>((seed / 4 + static_cast<unsigned>(s)) % 4);
        qkvet::test::compare(stratum, input, format, seed, counts);
      }
    }
    print(qkvet::info(format).name.data(), counts);
    if (!counts.complaint.empty()) {
      std::printf("DISAGREEMENT %s\n", counts.complaint.c_str());
      bad = 1;
    }
    std::fflush(stdout);
  }
  return bad;
}
