// `qkvet ref`: the exact answer of a case in decimal, every digit right.
#include <fmt/format.h>

#include <qkvet/oracle/oracle.hpp>
#include <qkvet/report/writers.hpp>

#include "cli/commands.hpp"
#include "cli/session.hpp"

namespace qkvet::cli {

int run(const Ref& options) {
  const Problem problem = open_case(options.problem).problem;
  const Semantics semantics = contract_at(problem.format, options.contract).semantics;
  const Shape& shape = problem.shape;
  for (std::int64_t b = 0; b < shape.B; ++b) {
    for (std::int64_t h = 0; h < shape.H_q; ++h) {
      for (std::int64_t i = 0; i < shape.L; ++i) {
        const std::vector<std::string> row =
            decimal_row(problem, semantics, b, h, i, options.digits);
        for (std::int64_t c = 0; c < shape.d_v; ++c) {
          fmt::print("{} = {}\n", describe_place({b, h, i, c}), row[static_cast<std::size_t>(c)]);
        }
        fmt::print("{} = {}\n", describe_place({b, h, i, -1}), row.back());
      }
    }
  }
  return static_cast<int>(ExitCode::holds);
}

}  // namespace qkvet::cli
