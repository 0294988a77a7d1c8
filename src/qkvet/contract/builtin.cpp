// The contracts that come with qkvet, and what is assumed when a candidate declares nothing.
#include <fmt/format.h>

#include <qkvet/contract/builtin.hpp>
#include <qkvet/num/error.hpp>

namespace qkvet {
namespace {

std::vector<Contract> read_all() {
  std::vector<Contract> all;
  for (const detail::EmbeddedContract& file : detail::embedded_contracts()) {
    ContractSet set = detail::read_contracts_with(file.text, file.file, all);
    for (Contract& contract : set.contracts) {
      contract.source = "builtin";
      contract.assumed_fields.clear();  // whoever names one of these has declared it as a whole
      all.push_back(std::move(contract));
    }
  }
  return all;
}

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
  if (!contracts.empty()) {
    loosest->limits = contracts.front().limits;
    loosest->formats_limited = contracts.front().formats_limited;
    detail::take_own_format(*loosest);
  }
  detail::list_assumed(*loosest, {});
  return *loosest;
}

}  // namespace qkvet
