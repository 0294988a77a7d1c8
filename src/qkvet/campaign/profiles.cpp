#include <array>
#include <qkvet/campaign/profiles.hpp>

namespace qkvet {

std::span<const Profile> profiles() {
  static constexpr std::array table{
      Profile{"smoke", 200, 16, 1'000'000, "a first look while editing, a few seconds"},
      Profile{"ci", 2000, 300, 20'000'000, "every commit, about two minutes"},
  };
  return table;
}

const Profile* profile_named(std::string_view name) {
  for (const Profile& profile : profiles()) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

std::int64_t cases_of(const Profile& profile, const Property& property) {
  return property.name == "matches-reference" ? profile.matches_reference : profile.other;
}

}  // namespace qkvet
