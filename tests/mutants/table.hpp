// The table of mutants, mutants.txt.
#pragma once

#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace qkvet::test {

/// One line: "name | class | origin | killer property | contract | what is wrong"; a killer "-"
/// stands for a correct kernel.
struct MutantRow {
  std::string name, kind, origin, killer, contract, what;
};

inline std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  return first == std::string::npos ? ""
                                    : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

inline std::vector<MutantRow> mutant_table(const std::string& path) {
  std::ifstream file(path);
  std::vector<MutantRow> rows;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, '|');) cells.push_back(trimmed(cell));
    if (cells.size() != 6) throw std::runtime_error("mutants.txt: six cells in: " + line);
    rows.push_back({cells[0], cells[1], cells[2], cells[3], cells[4], cells[5]});
  }
  return rows;
}

}  // namespace qkvet::test
