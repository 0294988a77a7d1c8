// How an engine changes the input of a kernel's target: by the steps of `qkvet fuzz`, part by part
// of the draw, and a child of two inputs has some parts of each. An engine's own changes of bytes
// would do as well (every input decodes), but they know nothing of parts. A case text, which may be
// a finding of another engine, gets parts of a drawn problem, now and then the engine changes its
// letters.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <qkvet/campaign/corpus.hpp>
#include <qkvet/campaign/fuzz_graft.hpp>
#include <qkvet/campaign/fuzz_input.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/text.hpp>
#include <string>
#include <utility>

/// The engine's own; not every engine has it.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size,
                                                              std::size_t most);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned int seed);
extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size,
                                                 const std::uint8_t* two, std::size_t two_size,
                                                 std::uint8_t* out, std::size_t most,
                                                 unsigned int seed);

namespace {

using qkvet::Choices;
using qkvet::FuzzInput;

/// About how many bytes of the values are worth an edit: half of what tiny problems have.
constexpr std::size_t values = 1024;

bool is_text(const std::uint8_t* data, std::size_t size) {
  return qkvet::is_case_text({reinterpret_cast<const char*>(data), size});
}

/// The inputs of the last call: an engine makes a child every few microseconds, in the memory of
/// the one before.
FuzzInput parent, other;

std::size_t write_child(Choices& random, std::uint8_t* out, std::size_t most) {
  parent = qkvet::mutated(random, std::move(parent), other, values);
  const std::vector<std::uint8_t> bytes = qkvet::to_fuzz_bytes(parent);
  const std::size_t size = std::min(bytes.size(), most);
  std::memcpy(out, bytes.data(), size);
  return size;
}

/// A child of a case text, as text; 0 if the text is none or if there is no room.
std::size_t write_graft(Choices& random, std::uint8_t* data, std::size_t size, std::size_t most) {
  try {
    const qkvet::Problem base =
        qkvet::read_case({reinterpret_cast<const char*>(data), size}, "input");
    const std::string text = qkvet::write_case(qkvet::grafted(random, base, {}));
    if (text.size() > most) return 0;
    std::memcpy(data, text.data(), text.size());
    return text.size();
  } catch (const qkvet::InputError&) {
    return 0;
  }
}

std::size_t change_text(std::uint8_t* data, std::size_t size, std::size_t most, unsigned int seed) {
  Choices random = Choices::from_seed(seed);
  if (LLVMFuzzerMutate && random.chance(1, 4)) return LLVMFuzzerMutate(data, size, most);
  const std::size_t written = write_graft(random, data, size, most);
  return written != 0 ? written : size;
}

}  // namespace

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                    unsigned int seed) {
  if (is_text(data, size)) return change_text(data, size, most, seed);
  Choices random = Choices::from_seed(seed);
  parent = qkvet::from_fuzz_bytes({data, size}, std::move(parent));
  other = qkvet::fresh_input(random);
  return write_child(random, data, most);
}

std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size,
                                      const std::uint8_t* two, std::size_t two_size,
                                      std::uint8_t* out, std::size_t most, unsigned int seed) {
  if (is_text(one, one_size) || is_text(two, two_size)) return 0;  // Tell the engine: no child.
  Choices random = Choices::from_seed(seed);
  parent = qkvet::from_fuzz_bytes({one, one_size}, std::move(parent));
  other = qkvet::from_fuzz_bytes({two, two_size}, std::move(other));
  return write_child(random, out, most);
}
