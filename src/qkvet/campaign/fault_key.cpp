#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/campaign/fault_key.hpp>

namespace qkvet {
namespace {

struct Extent {
  std::string_view name;
  std::int64_t value;
};

std::vector<Extent> extents_of(const Problem& problem) {
  const Shape& s = problem.shape;
  return {{"B", s.B},       {"H_q/H_kv", s.H_kv == 0 ? 0 : s.H_q / s.H_kv},
          {"H_kv", s.H_kv}, {"L", s.L},
          {"S", s.S},       {"d_k", s.d_k},
          {"d_v", s.d_v}};
}

/// The features that a fault can need: not the format, nor how extents compare, nor the LSE, which
/// shows a wrong weight where the output would.
std::vector<std::string_view> needs_of(const Problem& problem) {
  std::vector<std::string_view> names = features_of(problem);
  std::erase_if(names, [&](std::string_view name) {
    return name == info(problem.format).name || name == "L!=S" || name == "d_k!=d_v" ||
           name == "grouped-heads" || name == "lse";
  });
  std::sort(names.begin(), names.end());
  return names;
}

/// "S > 64": the largest power of two below the extent.
std::string words(const Extent& extent) {
  return fmt::format("{} > {}", extent.name,
                     std::bit_floor(static_cast<std::uint64_t>(extent.value - 1)));
}

}  // namespace

std::string fault_key(const Problem& minimal, const Finding& finding) {
  std::string key = finding.outcome();
  for (const Extent& extent : extents_of(minimal)) {
    if (extent.value > 1) key += ", " + words(extent);
    if (extent.value == 0) key += fmt::format(", {} = 0", extent.name);
  }
  for (const std::string_view name : needs_of(minimal)) key += fmt::format(", {}", name);
  return key;
}

bool may_hold(const Problem& problem, const Problem& minimal) {
  const auto have = extents_of(problem), need = extents_of(minimal);
  for (std::size_t n = 0; n < have.size(); ++n) {
    if (have[n].value < need[n].value) return false;
  }
  const auto names = needs_of(problem), wanted = needs_of(minimal);
  return std::includes(names.begin(), names.end(), wanted.begin(), wanted.end());
}

}  // namespace qkvet
