// The smallest engine that $LIB_FUZZING_ENGINE could name: no coverage, one input that it changes and
// runs again. It shows what an engine other than libFuzzer finds in a program of qkvet_add_fuzzer: the
// three functions, and nothing that wants one of libFuzzer's own.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned int seed);

int main(int argc, char** argv) {
  LLVMFuzzerInitialize(&argc, &argv);
  const long runs = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1;
  std::fprintf(stderr, "the small engine of a test: %ld runs\n", runs);
  std::vector<std::uint8_t> input(4096);
  std::size_t size = 0;
  for (long n = 0; n < runs; ++n) {
    size = LLVMFuzzerCustomMutator(input.data(), size, input.size(), static_cast<unsigned>(n));
    LLVMFuzzerTestOneInput(input.data(), size);
  }
  return 0;
}
