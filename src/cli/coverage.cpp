#include "cli/coverage.hpp"

#include <fmt/format.h>

#include <fstream>
#include <qkvet/campaign/coverage.hpp>
#include <qkvet/num/error.hpp>

#include "properties/registry.hpp"

namespace qkvet::cli {
namespace {

constexpr std::int64_t wanted = 20;  // times that each pair is to be drawn

std::string words(FeatureValue value) {
  return fmt::format("{} = {}", info(value.feature).name,
                     name_of(value.feature, static_cast<std::size_t>(value.value)));
}

void print_values(const Coverage& coverage) {
  fmt::print("values, and how many of {} cases have each:\n", coverage.counts.problems());
  for (const FeatureInfo& feature : feature_table()) {
    const auto number = static_cast<std::size_t>(&feature - feature_table().data());
    std::string line;
    for (std::size_t value = 0; value < feature.values.size(); ++value) {
      const FeatureValue one{static_cast<Feature>(number), static_cast<std::int8_t>(value)};
      line += fmt::format("{}{} {}", line.empty() ? "" : ", ", feature.values[value],
                          coverage.counts.of(one));
    }
    fmt::print("  {:<22}{}\n", feature.name, line);
  }
}

void print_pairs(const Coverage& coverage) {
  const auto all = all_feature_values();
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (!why_excluded(all[a], all[b]).empty()) continue;
      fmt::print("  {:>6}  {}, {}\n", coverage.counts.of(all[a], all[b]), words(all[b]),
                 words(all[a]));
    }
}

void print_rules() {
  fmt::print("\npairs that are not asked for:\n");
  for (const ExcludedPairs& rule : excluded_pairs()) {
    const bool any = rule.other.empty();
    fmt::print("  {} = {} with {}{}: {}\n", rule.feature, rule.values,
               any ? "everything" : rule.other, any ? "" : fmt::format(" = {}", rule.others),
               rule.reason);
  }
}

std::string pair_json(FeatureValue a, FeatureValue b, std::int64_t count) {
  return fmt::format(R"({{"a": "{}", "b": "{}", "count": {}}})", words(a), words(b), count);
}

/// Names in the tables are plain ASCII without quotes: nothing needs escaping.
void write_coverage_json(const std::string& path, const List& options, const Coverage& coverage) {
  std::string pairs;
  const auto all = all_feature_values();
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (!why_excluded(all[a], all[b]).empty()) continue;
      pairs += fmt::format("{}\n    {}", pairs.empty() ? "" : ",",
                           pair_json(all[b], all[a], coverage.counts.of(all[a], all[b])));
    }
  std::ofstream file(path);
  file << fmt::format(
      "{{\n  \"profile\": \"{}\",\n  \"seed\": {},\n  \"cases\": {},\n  \"wanted\": {},\n  \"rare\": {},\n"
      "  \"pairs\": [{}\n  ]\n}}\n",
      options.profile, options.seed, coverage.counts.problems(), wanted, coverage.rare.size(), pairs);
  if (!file.flush()) {
    throw InputError(ExitCode::io_error,
                     fmt::format("--json '{}': cannot be written", path));
  }
}

}  // namespace

void list_coverage(const List& options) {
  const Profile* profile = profile_named(options.profile);
  if (profile == nullptr) {
    throw InputError(ExitCode::usage,
                     fmt::format("--profile '{}': there are smoke and ci (`qkvet list profiles`)",
                                 options.profile));
  }
  std::vector<const Property*> properties;
  for (const Property& property : all_properties()) properties.push_back(&property);
  const Coverage coverage = measure_coverage(*profile, properties, options.seed, 1, wanted);
  print_values(coverage);
  fmt::print("\n{} pairs of values are asked for at least {} times each; {} are rarer\n",
             coverage.pairs, wanted, coverage.rare.size());
  for (const Coverage::Rare& rare : coverage.rare) {
    fmt::print("  {:>6}  {}, {}\n", rare.count, words(rare.a), words(rare.b));
  }
  if (options.all) print_pairs(coverage);
  print_rules();
  if (!options.json.empty()) write_coverage_json(options.json, options, coverage);
}

}  // namespace qkvet::cli
