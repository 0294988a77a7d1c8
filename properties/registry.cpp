#include "properties/registry.hpp"

namespace qkvet {

std::span<const Property> all_properties() { return {}; }

const Property* property_named(std::string_view name) {
  for (const Property& property : all_properties()) {
    if (property.name == name) return &property;
  }
  return nullptr;
}

}  // namespace qkvet
