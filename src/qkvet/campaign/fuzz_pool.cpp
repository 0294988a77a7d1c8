#include <qkvet/campaign/fuzz_pool.hpp>

namespace qkvet {

bool FuzzPool::add(const FuzzInput& input, std::size_t values,
                   const std::vector<std::uint64_t>& classes) {
  const std::size_t before = classes_.size();
  for (const std::uint64_t name : classes) {
    const auto [place, fresh] = index_.try_emplace(name, classes_.size());
    if (fresh) classes_.push_back({kept_.size(), 0});
    ++classes_[place->second].hits;
  }
  if (classes_.size() == before) return false;
  kept_.push_back({input, values});
  return true;
}

const FuzzPool::Kept& FuzzPool::choose(Choices& random) const {
  constexpr int candidates = 3;
  const Class* rarest = &classes_[random.below(classes_.size())];
  for (int n = 1; n < candidates; ++n) {
    const Class& other = classes_[random.below(classes_.size())];
    if (other.hits < rarest->hits) rarest = &other;
  }
  return kept_[rarest->first];
}

}  // namespace qkvet
