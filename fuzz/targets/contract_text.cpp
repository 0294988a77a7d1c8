// contract_text: the reader of contracts. What it accepts is written canonically, and reading that
// gives the same contract.
#include <qkvet/contract/contract.hpp>

#include "fuzz/parser_target.hpp"

namespace qkvet::fuzz {

void parse_and_compare(std::string_view input) {
  for (const Contract& contract : read_contracts(input, "input").contracts) {
    const std::string text = write_contract(contract);
    const ContractSet again = read_contracts(text, "written contract");
    must(again.contracts.size() == 1, "contract_text: one contract was written, not one is read");
    must(write_contract(again.contracts[0]) == text, "contract_text: the text is not canonical");
    must(digest(again.contracts[0]) == digest(contract),
         "contract_text: reading the written contract gives another digest");
  }
}

}  // namespace qkvet::fuzz
