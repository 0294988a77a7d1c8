#include "fuzz/parser_target.hpp"

#include <cstdio>
#include <cstdlib>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/draw.hpp>

#include "fuzz/engine.hpp"

namespace qkvet::fuzz {

void must(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "\nqkvet fuzz: FAIL %s\n", what);
  std::abort();
}

std::string describe(Bytes input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

std::vector<std::uint8_t> drawn_input(std::uint64_t seed) {
  Choices choices = Choices::from_seed(seed);
  std::vector<std::uint8_t> bytes(choices.below(200));
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(choices.below(256));
  return bytes;
}

void run_drawn(std::uint64_t seed) {
  const auto input = drawn_input(seed);
  (void)LLVMFuzzerTestOneInput(input.data(), input.size());
}

std::vector<std::uint8_t> derived_input(const std::string& text) {
  return {text.begin(), text.end()};
}

}  // namespace qkvet::fuzz

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  (void)qkvet::fuzz::settings_of(*argc, *argv);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    qkvet::fuzz::parse_and_compare({reinterpret_cast<const char*>(data), size});
  } catch (const qkvet::InputError&) {  // a refusal in words is what malformed text is owed
  }
  return 0;
}
