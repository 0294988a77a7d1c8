// The registry of properties: one file each in this folder, one line each in registry.cpp.
#pragma once

#include <qkvet/check/property.hpp>
#include <span>
#include <string_view>

namespace qkvet {

/// All properties, in the order in which they are reported; matches-reference first.
[[nodiscard]] std::span<const Property> all_properties();

/// Null if there is none of that name.
[[nodiscard]] const Property* property_named(std::string_view name);

}  // namespace qkvet
