// detection_run --format F [--cases N] [--seed S]: the table of docs/detection.md for a format.
#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <string_view>

#include "measure.hpp"

int main(int argc, char** argv) {
  std::optional<qkvet::Format> format;
  std::int64_t cases = 300;
  std::uint64_t seed = 7;
  for (int n = 1; n + 1 < argc; n += 2) {
    const std::string_view name = argv[n];
    if (name == "--format") format = qkvet::format_named(argv[n + 1]);
    if (name == "--cases") cases = std::atoll(argv[n + 1]);
    if (name == "--seed") seed = std::strtoull(argv[n + 1], nullptr, 10);
  }
  if (!format || cases < 1 || argc % 2 == 0) {
    fmt::print(stderr,
               "usage: detection_run --format f32|f64|bf16|f16 [--cases N] [--seed S]\n");
    return 2;
  }
  try {
    fmt::print("{}", detection::tables(detection::measure(*format, seed, cases), *format));
  } catch (const std::exception& error) {
    fmt::print(stderr, "detection_run: {}\n", error.what());
    return 70;
  }
  return 0;
}
