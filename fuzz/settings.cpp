#include "fuzz/settings.hpp"

#include <cstdio>
#include <cstdlib>
#include <qkvet/num/error.hpp>
#include <string_view>

namespace qkvet::fuzz {

bool take_flag(std::string_view flag, Settings& settings) {
  const auto value = [&](std::string_view name) -> std::optional<std::string> {
    if (!flag.starts_with(name)) return std::nullopt;
    return std::string(flag.substr(name.size()));
  };
  if (const auto size = value("--size=")) {
    if (*size != "tiny" && *size != "tiles") {
      throw InputError(ExitCode::usage, "--size=" + *size + ": give tiny or tiles");
    }
    settings.size = *size == "tiny" ? Size::tiny : Size::tiles;
  } else if (const auto where = value("--where=")) {
    (void)narrow(Domain{}, *where);
    settings.where = *where;
  } else if (const auto kernel = value("--kernel=")) {
    settings.kernel = *kernel;
  } else if (const auto feedback = value("--feedback=")) {
    if (*feedback != "yes" && *feedback != "no") {
      throw InputError(ExitCode::usage, "--feedback=" + *feedback + ": give yes or no");
    }
    settings.feedback = *feedback == "yes";
  } else {
    return false;
  }
  return true;
}

Domain domain_of(Size size) {
  const bool tiny = size == Size::tiny;
  Domain domain;
  domain.formats = {Format::binary32, Format::binary16, Format::bfloat16, Format::binary64};
  domain.B = {0, 2};
  domain.H_kv = {0, 2};
  domain.H_q = {0, 4};
  domain.L = domain.S = {0, tiny ? 8 : 160};
  domain.d_k = domain.d_v = {0, tiny ? 16 : 80};
  // Tiny: one head with all extents at their ends, or more heads with less.
  domain.work_budget = tiny ? 2'048 : 400'000;
  return domain;
}

Settings settings_of(int argc, char** argv) {
  Settings settings;
  try {
    for (int n = 1; n < argc; ++n) {
      const std::string_view flag = argv[n];
      if (!flag.starts_with("--") || take_flag(flag, settings)) continue;
      throw InputError(ExitCode::usage,
                       std::string(flag) +
                           ": unknown; accepted are --size=tiny|tiles, "
                           "--where=EXPR, --kernel=NAME, --feedback=yes|no and the engine's flags, "
                           "which begin with one dash");
    }
  } catch (const InputError& error) {
    std::fprintf(stderr, "fuzz: %s\n", error.what());
    std::exit(2);
  }
  return settings;
}

}  // namespace qkvet::fuzz
