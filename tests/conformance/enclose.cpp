// What our reference says of a case, for tests written in Python: reads lines
//   CONTRACT-FILE <tab> CASE <tab> BITS
// on stdin, where BITS are the hex encodings of an observed output [B,H_q,L,d_v], comma-separated,
// or nothing. Answers each line with one line of JSON, or with {"error": ...}: per row its class,
// the enclosures of all scores and weights, and what the contract admits of each output. Numbers
// are hex floats in strings, so that nothing is rounded on the way. Both oracles are asked.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <qkvet/bound/admissible.hpp>
#include <qkvet/contract/contract.hpp>
#include <qkvet/oracle/oracle.hpp>
#include <qkvet/problem/text.hpp>
#include <sstream>

namespace {

using namespace qkvet;

std::string number(double x) { return fmt::format("\"{:a}\"", x); }

std::string interval(const Interval& x) {
  return fmt::format("[{},{}]", number(x.lo), number(x.hi));
}

std::string_view flag(bool x) { return x ? "true" : "false"; }

std::string_view class_name(RowClass row_class) {
  switch (row_class) {
    case RowClass::live:
      return "live";
    case RowClass::empty:
      return "empty";
    case RowClass::nonfinite:
      return "nonfinite";
  }
  return "?";
}

std::string_view kind_name(PlaceKind kind) {
  switch (kind) {
    case PlaceKind::checked:
      return "checked";
    case PlaceKind::hull:
      return "hull";
    case PlaceKind::exact:
      return "exact";
    case PlaceKind::exempt:
      return "exempt";
    case PlaceKind::uncheckable:
      return "uncheckable";
  }
  return "?";
}

std::string key_text(const KeyTrace& key) {
  return fmt::format(R"({{"visible":{},"A":{},"K1":{},"x":{},"s":{},"weight":{}}})",
                     flag(key.visible), number(key.A), number(key.K1), interval(key.x),
                     interval(key.s), interval(key.weight));
}

std::string place_text(const Place& place, const double* got) {
  std::string text =
      fmt::format(R"({{"kind":"{}","exact":{},"radius":{},"allowed":{})", kind_name(place.kind),
                  interval(place.exact), number(place.radius), interval(place.allowed));
  if (got != nullptr) {
    text += fmt::format(R"(,"admitted":{},"ratio":{})", flag(place.contains(*got)),
                        number(place.ratio(*got)));
  }
  return text + "}";
}

std::vector<double> read_bits(const std::string& text, Format format) {
  std::vector<double> out;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) {
    out.push_back(decode(format, std::stoull(item, nullptr, 16)));
  }
  return out;
}

std::string answer(const std::string& contract_file, const std::string& case_text,
                   const std::string& bits) {
  const Problem problem = read_case(case_text, "case");
  std::ifstream file(contract_file);
  std::ostringstream contract_text;
  contract_text << file.rdbuf();
  const Contract contract = read_contracts(contract_text.str(), contract_file).at(problem.format);
  const Shape& shape = problem.shape;
  const std::vector<double> got = read_bits(bits, problem.format);
  if (!got.empty() && got.size() != static_cast<std::size_t>(shape.rows() * shape.d_v)) {
    throw std::runtime_error(
        fmt::format("{} observed values for {} outputs", got.size(), shape.rows() * shape.d_v));
  }
  RowEncloser encloser(problem, contract.semantics, Rung::arb);
  std::string rows;
  for (std::int64_t n = 0; n < shape.rows(); ++n) {
    const std::int64_t b = n / (shape.H_q * shape.L), h = n / shape.L % shape.H_q, i = n % shape.L;
    const RowEnclosure row = encloser.row(b, h, i);
    const std::vector<Place> places = admit_row(problem, contract, row, b, h, i);
    std::string keys, outputs;
    for (const KeyTrace& key : row.trace.keys) keys += (keys.empty() ? "" : ",") + key_text(key);
    for (std::int64_t d = 0; d < shape.d_v; ++d) {
      const double* seen =
          got.empty() ? nullptr : &got[static_cast<std::size_t>(n * shape.d_v + d)];
      outputs +=
          (outputs.empty() ? "" : ",") + place_text(places[static_cast<std::size_t>(d)], seen);
    }
    rows += fmt::format(R"({}{{"class":"{}","Q1":{},"keys":[{}],"o":[{}]}})", n == 0 ? "" : ",",
                        class_name(row.row_class), number(row.trace.Q1), keys, outputs);
  }
  const std::optional<std::string> disagreement = cross_check(problem, contract.semantics);
  return fmt::format(R"({{"oracles_agree":{},"contract":"{}","rows":[{}]}})",
                     flag(!disagreement.has_value()), contract.name, rows);
}

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream fields(line);
    std::string contract_file, case_text, bits;
    std::getline(fields, contract_file, '\t');
    std::getline(fields, case_text, '\t');
    std::getline(fields, bits, '\t');
    try {
      std::cout << answer(contract_file, case_text, bits) << '\n';
    } catch (const std::exception& error) {
      std::string words = error.what();
      for (char& c : words) {
        if (c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' ') c = '\'';
      }
      std::cout << fmt::format(R"({{"error":"{}"}})", words) << '\n';
    }
  }
  return 0;
}
