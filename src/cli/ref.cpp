// `qkvet ref`: the exact answer of a case, every digit right, or rounded once to a format.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <qkvet/ladder/ladder.hpp>
#include <qkvet/oracle/oracle.hpp>
#include <qkvet/report/writers.hpp>

#include "cli/commands.hpp"
#include "cli/session.hpp"

namespace qkvet::cli {
namespace {

std::string number(Format format, std::uint64_t bits) {
  const double x = decode(format, bits);
  return std::isfinite(x) ? fmt::format("{:+a} {}", x, x) : fmt::format("{}", x);
}

// The value and the rung that proved it; both neighbours if none did.
std::string rounded(Format format, const Rounded& value) {
  constexpr std::array<std::string_view, steps> names = {
      "double", "double, column bound", "compensated", "exact", "arb", "undecided", "undefined"};
  if (value.step == Step::undefined) return "undefined";
  if (value.step == Step::undecided) {
    return fmt::format("{} or {}, undecided at 8192 bits", number(format, value.bits),
                       number(format, value.above));
  }
  return fmt::format("{}  [{}]", number(format, value.bits),
                     names[static_cast<std::size_t>(value.step)]);
}

// A row's outputs, then its log-sum-exp, as text.
std::vector<std::string> rounded_row(Ladder& ladder, Format format, std::int64_t b,
                                     std::int64_t h, std::int64_t i) {
  const RoundedRow& row = ladder.row(b, h, i);
  std::vector<std::string> texts;
  for (const Rounded& o : row.o) texts.push_back(rounded(format, o));
  texts.push_back(rounded(format, row.lse));
  return texts;
}

}  // namespace

int run(const Ref& options) {
  const Problem problem = open_case(options.problem).problem;
  const Semantics semantics = contract_at(problem.format, options.contract).semantics;
  const Shape& shape = problem.shape;
  std::optional<Ladder> ladder;
  if (options.round) {
    LadderOptions wanted;
    wanted.format = *options.round;
    ladder.emplace(problem, semantics, wanted);
  }
  for (std::int64_t b = 0; b < shape.B; ++b) {
    for (std::int64_t h = 0; h < shape.H_q; ++h) {
      for (std::int64_t i = 0; i < shape.L; ++i) {
        const std::vector<std::string> row =
            ladder ? rounded_row(*ladder, *options.round, b, h, i)
                   : decimal_row(problem, semantics, b, h, i, options.digits);
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
