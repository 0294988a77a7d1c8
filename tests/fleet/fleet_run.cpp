// fleet_run [--cases N] [--first N] [--seed S] [--kernel NAME] [--stratum NAME] [--format FORMAT]:
// 0 if no honest kernel failed, else 1.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <memory>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/kernels/kernels.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fleet.hpp"
#include "muster.hpp"

namespace {

struct Options {
  fleet::Draws draws;
  std::string kernel;  // empty: all
};

bool parse(int argc, char** argv, Options& options) {
  for (int n = 1; n < argc; n += 2) {
    if (n + 1 == argc) return false;
    const std::string_view name = argv[n];
    const std::string value = argv[n + 1];
    char* end = nullptr;
    if (name == "--kernel") {
      options.kernel = value;
      continue;
    }
    if (name == "--stratum") {
      options.draws.stratum = value;
      continue;
    }
    if (name == "--format") {
      const auto format = qkvet::format_named(value);
      if (!format || *format == qkvet::Format::binary64) return false;
      options.draws.format = *format;
      continue;
    }
    const unsigned long long number = std::strtoull(value.c_str(), &end, 10);
    if (value.empty() || *end != '\0') return false;
    if (name == "--cases") {
      options.draws.cases = static_cast<std::int64_t>(number);
    } else if (name == "--first") {
      options.draws.first = static_cast<std::int64_t>(number);
    } else if (name == "--seed") {
      options.draws.seed = number;
    } else {
      return false;
    }
  }
  return true;
}

int run(const Options& options) {
  std::vector<std::unique_ptr<qkvet::Candidate>> owned;
  const auto add = [&](const qkvet_candidate& table) {
    if (options.kernel.empty() || options.kernel == table.name) {
      owned.push_back(qkvet::in_process(table));
    }
  };
  const bool low = qkvet::info(options.draws.format).bytes == 2;
  for (std::size_t n = 0; n < fleet::recipes().size(); ++n) {
    if (low || !fleet::recipes()[n].low_only) add(fleet::candidate(n));
  }
  for (const std::string_view name : qkvet::builtin_kernel_names()) {
    add(*qkvet::builtin_kernel(name));
  }
  if (owned.empty()) {
    fmt::print(stderr, "fleet_run: no kernel is called '{}'\n", options.kernel);
    return 2;
  }
  std::vector<qkvet::Candidate*> candidates;
  for (const auto& candidate : owned) candidates.push_back(candidate.get());
  const fleet::Muster result = fleet::muster(candidates, options.draws);
  fmt::print("{}", result.text());
  return result.failures() == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    fmt::print(stderr,
               "usage: fleet_run [--cases N] [--first N] [--seed S] [--kernel NAME] "
               "[--stratum NAME] [--format f32|f16|bf16]\n");
    return 2;
  }
  try {
    return run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "fleet_run: {}\n", error.what());
    return 70;
  }
}
