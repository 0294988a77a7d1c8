// From an engine's bytes to a problem and to the target's judge.
#include "fuzz/kernel_target.hpp"

#include <cstdio>
#include <cstdlib>
#include <qkvet/campaign/fuzz_input.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/text.hpp>
#include <utility>

#include "fuzz/feedback.hpp"

namespace qkvet::fuzz {
namespace {

Settings settings;

Subject& subject() {
  static Subject the(settings, kernel_target.narrow);
  return the;
}

std::string_view text_of(Bytes input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

bool is_text(Bytes input) { return is_case_text(text_of(input)); }

struct Input {
  Problem problem;
  std::uint64_t way = 0;
};

Input draw_input(Choices& choices) {
  const std::uint64_t way = choices.below(kernel_target.ways);
  Input input{subject().draw(choices), way};
  const Contract* contract = subject().contract(input.problem.format);
  if (kernel_target.adjust != nullptr && contract != nullptr) {
    Problem adjusted = input.problem;
    kernel_target.adjust(adjusted, *contract, way);
    if (!outside(contract->limits, adjusted)) input.problem = std::move(adjusted);
  }
  return input;
}

Input input_of(Bytes bytes) {
  static FuzzInput parts;  // its memory serves every input
  parts = from_fuzz_bytes(bytes, std::move(parts));
  Choices choices = Choices::from_parts(parts);
  return draw_input(choices);
}

void judge(const Problem& problem, std::uint64_t way) {
  const Contract* contract = subject().contract(problem.format);
  if (contract == nullptr || outside(contract->limits, problem)) return;
  note_problem(problem);
  kernel_target.judge(subject(), *contract, problem, way);
}

/// The metadata line `# drawn: N`.
std::optional<std::uint64_t> drawn_of(const std::string& text) {
  const std::string_view key = "\n# drawn: ";
  const auto at = text.find(key);
  if (at == std::string::npos) return std::nullopt;
  return std::strtoull(text.c_str() + at + key.size(), nullptr, 10);
}

}  // namespace

std::string describe(Bytes input) {
  if (is_text(input)) return write_case(read_case(text_of(input), "input"));
  return write_case(input_of(input).problem);
}

void run_drawn(std::uint64_t seed) {
  Choices choices = Choices::from_seed(seed);
  const Input input = draw_input(choices);
  judge(input.problem, input.way);
}

std::vector<std::uint8_t> drawn_input(std::uint64_t seed) {
  Choices choices = Choices::from_seed(seed);
  return to_fuzz_bytes(fresh_input(choices));
}

std::vector<std::uint8_t> derived_input(const std::string& text) {
  if (const auto seed = drawn_of(text)) {
    const auto bytes = drawn_input(*seed);
    if (describe(bytes) == write_case(read_case(text, "seed"))) return bytes;
  }
  return {text.begin(), text.end()};
}

}  // namespace qkvet::fuzz

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  using namespace qkvet::fuzz;
  settings = settings_of(*argc, *argv);
  set_feedback(settings.feedback);
  try {
    (void)subject();
  } catch (const qkvet::InputError& error) {
    std::fprintf(stderr, "fuzz: %s\n", error.what());
    std::exit(2);
  }
  return 0;
}

/// -1 (not for the corpus) for malformed `qk1:` text; every other input decodes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace qkvet::fuzz;
  const Bytes bytes(data, size);
  if (!is_text(bytes)) {
    const Input input = input_of(bytes);
    judge(input.problem, input.way);
    return 0;
  }
  qkvet::Problem problem;
  try {
    problem = qkvet::read_case(text_of(bytes), "input");
  } catch (const qkvet::InputError&) {
    return -1;
  }
  // In every way if it is small, else in one of its own: a replay of the corpus stays quick.
  constexpr std::int64_t small = 4096;
  const std::uint64_t own = std::strtoull(qkvet::digest(problem).c_str(), nullptr, 16);
  for (std::uint64_t way = 0; way < kernel_target.ways; ++way) {
    if (problem.shape.work() <= small || way == own % kernel_target.ways) judge(problem, way);
  }
  return 0;
}
