// How much a campaign does: fixed numbers of cases, never times, so that a profile means one thing.
#pragma once

#include <cstdint>
#include <qkvet/check/examine.hpp>
#include <span>
#include <string_view>

namespace qkvet {

struct Profile {
  std::string_view name;
  std::int64_t matches_reference = 0;  ///< accepted cases of matches-reference
  std::int64_t other = 0;              ///< accepted cases of each other property
  std::int64_t work_budget = 0;        ///< most multiply-adds of one case
  std::string_view purpose;
};

[[nodiscard]] std::span<const Profile> profiles();
[[nodiscard]] const Profile* profile_named(std::string_view name);

/// Cases of a property under a profile.
[[nodiscard]] std::int64_t cases_of(const Profile& profile, const Property& property);

}  // namespace qkvet
