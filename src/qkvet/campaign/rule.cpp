#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <qkvet/campaign/rule.hpp>

namespace qkvet {
namespace {

struct Hypothesis {
  std::string words;
  std::function<bool(std::int64_t)> says;
};

/// Periods that code has: small ones, and the tiles of kernels.
constexpr std::int64_t periods[] = {2, 3, 4, 5, 6, 7, 8, 16, 32, 64, 128, 256};

void add_remainders(std::vector<Hypothesis>& all, std::string_view name, std::int64_t least,
                    bool from_least) {
  const std::string from = from_least ? fmt::format(" and {} >= {}", name, least) : "";
  const auto add = [&](std::int64_t period, std::string_view relation, std::int64_t right,
                       auto holds) {
    all.push_back(
        {fmt::format("{} mod {} {} {}{}", name, period, relation, right, from),
         [=](std::int64_t n) { return holds(n % period, right) && (!from_least || n >= least); }});
  };
  for (const std::int64_t period : periods) add(period, "=", least % period, std::equal_to<>());
  for (const std::int64_t period : periods) {
    for (const std::int64_t not_this : {std::int64_t{0}, (least + period - 1) % period}) {
      add(period, "!=", not_this, std::not_equal_to<>());
    }
  }
  for (const std::int64_t period : periods) {
    for (std::int64_t r = 1; r < period; ++r) {
      add(period, ">=", r, std::greater_equal<>());
      add(period, "<=", r, std::less_equal<>());
    }
  }
}

/// In order of simplicity. `least` and `most`: the extents that fail.
std::vector<Hypothesis> hypotheses(std::string_view name, std::int64_t least, std::int64_t most,
                                   bool several) {
  std::vector<Hypothesis> all{
      {fmt::format("{} >= {}", name, least), [=](std::int64_t n) { return n >= least; }},
      {fmt::format("{} <= {}", name, most), [=](std::int64_t n) { return n <= most; }}};
  if (several) {
    add_remainders(all, name, least, false);
    add_remainders(all, name, least, true);
  }
  all.push_back({least == most ? fmt::format("{} = {}", name, least)
                               : fmt::format("{} <= {} <= {}", least, name, most),
                 [=](std::int64_t n) { return least <= n && n <= most; }});
  return all;
}

}  // namespace

std::optional<std::string> rule_of(std::string_view name, std::vector<Sample> samples) {
  std::sort(samples.begin(), samples.end(),
            [](const Sample& a, const Sample& b) { return a.at < b.at; });
  const auto same = [](const Sample& a, const Sample& b) { return a.at == b.at; };
  samples.erase(std::unique(samples.begin(), samples.end(), same), samples.end());
  const auto failing = static_cast<std::int64_t>(
      std::count_if(samples.begin(), samples.end(), [](const Sample& one) { return one.fails; }));
  const auto tried = static_cast<std::int64_t>(samples.size());
  if (failing == 0 || failing == tried) return std::nullopt;
  const auto fails = [](const Sample& one) { return one.fails; };
  const std::int64_t least = std::find_if(samples.begin(), samples.end(), fails)->at;
  const std::int64_t most = std::find_if(samples.rbegin(), samples.rend(), fails)->at;
  const bool several = failing >= 2 && tried - failing >= 2;
  for (const Hypothesis& one : hypotheses(name, least, most, several)) {
    const auto explained = [&](const Sample& sample) {
      return one.says(sample.at) == sample.fails;
    };
    if (std::all_of(samples.begin(), samples.end(), explained)) {
      return fmt::format("fails iff {} ({} of {} tried)", one.words, tried, tried);
    }
  }
  return fmt::format("fails for {} of {} {} tried, by no simple rule", failing, tried, name);
}

}  // namespace qkvet
