// metamorphic: a property of the registry, chosen by the input.
#include "fuzz/kernel_target.hpp"
#include "properties/registry.hpp"

namespace qkvet::fuzz {
namespace {

const Property& property_of(std::uint64_t way) {
  return all_properties()[static_cast<std::size_t>(way)];
}

Domain everything(Domain domain) { return domain; }

void adjust(Problem& problem, const Contract&, std::uint64_t way) {
  const Property& property = property_of(way);
  if (property.prepare != nullptr) property.prepare(problem, mix(way));
}

void judge(Subject& subject, const Contract&, const Problem& problem, std::uint64_t way) {
  must_hold(subject, problem, property_of(way).name);
}

}  // namespace

const KernelTarget kernel_target{"metamorphic", everything, all_properties().size(), adjust, judge};

}  // namespace qkvet::fuzz
