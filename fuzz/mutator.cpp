// How libFuzzer changes the bytes of a kernel's target: as always, and one time in four with noise
// behind the end. What lies behind the end reads as zeros, so that a short input has equal values,
// and no feature that is drawn after the values (sinks, layouts).
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <qkvet/problem/draw.hpp>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned int seed);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned int seed) {
  qkvet::Choices choices = qkvet::Choices::from_seed(seed);
  if (choices.chance(1, 4) && size < most) {
    constexpr std::size_t longest = 768;
    const std::size_t end = std::min(most, size + 1 + choices.below(longest));
    for (; size < end; ++size) data[size] = static_cast<std::uint8_t>(choices.below(256));
    if (choices.chance(1, 2)) return size;
  }
  return LLVMFuzzerMutate(data, size, most);
}
