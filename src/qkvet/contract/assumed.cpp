// What nobody declared: the fields at which a contract stands on the loosest one of its format. Reports
// name them, so that a user sees what to declare for a sharper verdict.
#include <fmt/format.h>

#include <algorithm>
#include <qkvet/contract/builtin.hpp>
#include <qkvet/contract/value_text.hpp>

namespace qkvet::detail {
namespace {

/// One line per field: its value, what it means, and what would set it.
struct AssumedFields {
  std::string_view section;
  const std::set<std::string>& declared;
  std::vector<std::string>& lines;

  template <class T>
  void operator()(std::string_view field, const T& value, std::string_view meaning) {
    add(field, print_value(value), meaning);
  }
  void operator()(std::string_view field, const int& value, int any, std::string_view meaning) {
    add(field, print_count(value, any), meaning);
  }
  void add(std::string_view field, const std::string& value, std::string_view meaning) {
    if (declared.contains(fmt::format("{}.{}", section, field))) return;
    lines.push_back(fmt::format("{} = {} ({}; set by --contract, [{}] {} = ...)", field, value,
                                meaning, section, field));
  }
};

}  // namespace

void take_own_format(Contract& contract) {
  const std::vector<Format>& known = contract.limits.formats;
  if (contract.formats_limited) return;
  if (std::find(known.begin(), known.end(), contract.format) == known.end()) {
    contract.limits.formats = {contract.format};
  }
}

bool is_loosest(const Contract& contract) {
  return contract.name == fmt::format("{}-any", info(contract.format).name);
}

void list_assumed(Contract& contract, const std::set<std::string>& declared) {
  contract.assumed_fields.clear();
  visit_semantics(contract.semantics,
                  AssumedFields{"semantics", declared, contract.assumed_fields});
  visit_arithmetic(contract.arithmetic,
                   AssumedFields{"arithmetic", declared, contract.assumed_fields});
}

}  // namespace qkvet::detail
