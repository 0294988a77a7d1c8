// The fleet on drawn problems of one format; see `usage`. Exit 0 if no honest kernel failed, at most
// a tenth of all places could not be judged, and no more were suspect than stated; else 1.
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <qkvet/candidate/candidate.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "census.hpp"
#include "fleet.hpp"
#include "muster.hpp"

namespace {

constexpr const char* usage =
    "usage: fleet_run [--format f64|f32|f16|bf16] [--cases N] [--first N] [--seed S]\n"
    "                 [--kernel NAME] [--stratum NAME] [--values drawn|hostile]\n"
    "                 [--work N] [--suspects CASES] [--json FILE]\n"
    "--values hostile: V follows the weights (adversary.hpp). --work: the most\n"
    "multiply-adds of one problem. --suspects: how often honest kernels\n"
    "are SUSPECT, on that many cases of seed 99. --json: what was seen, per kernel.\n";
constexpr double most_undecided = 0.10;
constexpr std::uint64_t suspects_seed = 99;

struct Options {
  fleet::Draws draws;
  std::string kernel;  // empty: all
  std::string json;    // empty: none
  std::int64_t suspects = 0;
};

bool set_text(std::string_view name, const std::string& value, Options& options) {
  if (name == "--kernel") {
    options.kernel = value;
  } else if (name == "--json") {
    options.json = value;
  } else if (name == "--stratum") {
    options.draws.stratum = value;
  } else if (name == "--values") {
    options.draws.hostile = value == "hostile";
    return value == "hostile" || value == "drawn";
  } else if (name == "--format") {
    const auto format = qkvet::format_named(value);
    if (format) options.draws.format = *format;
    return format.has_value();
  } else {
    return false;
  }
  return true;
}

bool set_number(std::string_view name, const std::string& value, Options& options) {
  char* end = nullptr;
  const unsigned long long number = std::strtoull(value.c_str(), &end, 10);
  if (value.empty() || *end != '\0') return false;
  const auto count = static_cast<std::int64_t>(number);
  if (name == "--cases") {
    options.draws.cases = count;
  } else if (name == "--first") {
    options.draws.first = count;
  } else if (name == "--seed") {
    options.draws.seed = number;
  } else if (name == "--work") {
    options.draws.work = count;
  } else if (name == "--suspects") {
    options.suspects = count;
  } else {
    return false;
  }
  return true;
}

bool parse(int argc, char** argv, Options& options) {
  for (int n = 1; n < argc; n += 2) {
    if (n + 1 == argc) return false;
    if (!set_text(argv[n], argv[n + 1], options) && !set_number(argv[n], argv[n + 1], options)) {
      return false;
    }
  }
  return true;
}

/// The contract of a kernel in words that several kernels share.
std::string label_of(const fleet::Record& record, qkvet::Format format) {
  for (const fleet::Recipe& recipe : fleet::recipes()) {
    if (record.name == recipe.name) return fleet::contract_label(recipe, format);
  }
  return record.contract;  // of a built-in kernel
}

nlohmann::json to_json(const Options& options, const fleet::Muster& seen) {
  nlohmann::json out{{"format", qkvet::info(options.draws.format).name},
                     {"seed", options.draws.seed},
                     {"first", options.draws.first},
                     {"cases", options.draws.cases},
                     {"values", options.draws.hostile ? "hostile" : "drawn"},
                     {"undecided", seen.undecided()}};
  for (const fleet::Record& record : seen.records) {
    const qkvet::Tally& t = record.places;
    out["kernels"].push_back({{"name", record.name},
                              {"contract", label_of(record, options.draws.format)},
                              {"cases", record.cases},
                              {"judged", t.checked + t.hull + t.exact},
                              {"exempt", t.exempt},
                              {"uncheckable", t.uncheckable},
                              {"failures", record.failures.size()},
                              {"worst", record.worst},
                              {"worst_case", record.worst_case}});
  }
  return out;
}

int run(const Options& options) {
  std::vector<std::unique_ptr<qkvet::Candidate>> owned =
      fleet::honest_kernels(options.draws.format);
  std::vector<qkvet::Candidate*> candidates;
  for (const auto& candidate : owned) {
    if (options.kernel.empty() || options.kernel == candidate->name()) {
      candidates.push_back(candidate.get());
    }
  }
  if (candidates.empty()) {
    fmt::print(stderr, "fleet_run: no kernel of that format is called '{}'\n", options.kernel);
    return 2;
  }
  const fleet::Muster seen = fleet::muster(candidates, options.draws);
  const double undecided = seen.undecided();
  fmt::print("{}", seen.text());
  fmt::print("refused 0; uncheckable, vacuous ones among them, {:.2f} % of all places of all "
             "kernels (at most {:.0f} %)\n",
             100 * undecided, 100 * most_undecided);
  bool good = seen.failures() == 0 && (undecided <= most_undecided || !options.draws.stratum.empty());
  nlohmann::json json = to_json(options, seen);
  if (options.suspects > 0) {
    const auto rate =
        fleet::rate_of_suspects(options.draws.format, suspects_seed, options.suspects);
    if (rate) {
      fmt::print("{}\n", rate->text());
      for (const std::string& message : rate->messages) fmt::print("  {}\n", message);
      good = good && rate->holds();
      json["suspects"] = {{"seed", suspects_seed},     {"cases", rate->cases},
                          {"pairs", rate->pairs},      {"above", rate->above},
                          {"suspect", rate->suspect},  {"stated", rate->stated}};
    } else {
      fmt::print("SUSPECT: the format has no critical values\n");
    }
  }
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    file << json.dump(1) << '\n';
    if (!file.flush()) {
      fmt::print(stderr, "fleet_run: cannot write {}\n", options.json);
      return 73;
    }
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fputs(usage, stderr);
    return 2;
  }
  try {
    return run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "fleet_run: {}\n", error.what());
    return 70;
  }
}
