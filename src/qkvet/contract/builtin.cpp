// The contracts that come with qkvet, and what is assumed when a candidate declares nothing.
#include <fmt/format.h>

#include <qkvet/contract/builtin.hpp>
#include <qkvet/contract/value_text.hpp>
#include <qkvet/num/error.hpp>

namespace qkvet {
namespace {

std::vector<Contract> read_all() {
  std::vector<Contract> all;
  for (const detail::EmbeddedContract& file : detail::embedded_contracts()) {
    ContractSet set = detail::read_contracts_with(file.text, file.file, all);
    for (Contract& contract : set.contracts) {
      contract.source = "builtin";
      all.push_back(std::move(contract));
    }
  }
  return all;
}

/// One line per field that an undeclared contract leaves at its loosest: its value, and what would
/// set it.
struct AssumedFields {
  std::string_view section;
  std::vector<std::string>& lines;

  template <class T>
  void operator()(std::string_view field, const T& value, std::string_view meaning) {
    add(field, detail::print_value(value), meaning);
  }
  void operator()(std::string_view field, const int& value, int any, std::string_view meaning) {
    add(field, detail::print_count(value, any), meaning);
  }
  void add(std::string_view field, const std::string& value, std::string_view meaning) {
    lines.push_back(fmt::format("{} = {} ({}; set by --contract, [{}] {} = ...)", field, value,
                                meaning, section, field));
  }
};

}  // namespace

const std::vector<Contract>& builtin_contracts() {
  static const std::vector<Contract> all = read_all();
  return all;
}

std::optional<Contract> builtin_contract(std::string_view name) {
  for (const Contract& contract : builtin_contracts()) {
    if (contract.name == name || fmt::format("{}/{}", contract.name, contract.version) == name) {
      return contract;
    }
  }
  return std::nullopt;
}

Contract ContractSet::at(Format format) const {
  for (const Contract& contract : contracts) {
    if (contract.format == format) return contract;
  }
  const std::string name = fmt::format("{}-any", info(format).name);
  std::optional<Contract> loosest = builtin_contract(name);
  if (!loosest) {
    throw InputError(ExitCode::usage,
                     fmt::format("nothing is declared for {} and there is no contract {}; "
                                 "declare one with --contract",
                                 info(format).name, name));
  }
  loosest->assumed = true;
  if (!contracts.empty()) loosest->limits = contracts.front().limits;
  detail::visit_semantics(loosest->semantics, AssumedFields{"semantics", loosest->assumed_fields});
  detail::visit_arithmetic(loosest->arithmetic,
                           AssumedFields{"arithmetic", loosest->assumed_fields});
  return *loosest;
}

}  // namespace qkvet
