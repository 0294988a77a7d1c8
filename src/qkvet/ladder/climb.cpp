// First 128 bits, which decide nearly everything; then the exact case; then 256 bits and more.
#include <qkvet/ladder/climb.hpp>
#include <qkvet/oracle/exact_mean.hpp>
#include <qkvet/oracle/facts.hpp>

namespace qkvet::ladder {
namespace {

constexpr int first_precision = 128, last_precision = 8192;

}  // namespace

Climb::Climb(const Problem& problem, const Semantics& semantics, Format format)
    : problem_(problem), semantics_(semantics), format_(format), arb_(problem, semantics) {}

std::vector<Rounded> Climb::decide(std::int64_t b, std::int64_t h, std::int64_t i,
                                   std::span<const std::int64_t> wanted) {
  std::vector<Rounded> result(wanted.size());
  std::vector<std::size_t> open(wanted.size());
  for (std::size_t n = 0; n < open.size(); ++n) open[n] = n;
  std::vector<std::int64_t> asked;
  for (int precision = first_precision; !open.empty() && precision <= last_precision;
       precision *= 2) {
    asked.clear();
    for (const std::size_t n : open) asked.push_back(wanted[n]);
    const std::vector<RoundedBall> balls = arb_.rounded(b, h, i, format_, asked, precision);
    std::vector<std::size_t> still;
    for (std::size_t m = 0; m < open.size(); ++m) {
      const RoundedBall& ball = balls[m];
      const bool last = precision == last_precision;
      if (ball.decided || last) {
        result[open[m]] = {ball.low, ball.high, ball.decided ? Step::arb : Step::undecided};
      } else {
        still.push_back(open[m]);
      }
    }
    open = std::move(still);
    if (precision != first_precision || open.empty()) continue;
    still.clear();
    const HeadFacts facts(problem_, b, problem_.shape.kv_head(h));
    const ExactMeans means(problem_, semantics_,
                           classify_row(problem_, semantics_, facts, b, h, i), b, h, i);
    for (const std::size_t n : open) {
      const auto exact = wanted[n] < problem_.shape.d_v ? means.rounded(wanted[n], format_)
                                                        : std::nullopt;
      if (exact) {
        result[n] = {*exact, *exact, Step::exact};
      } else {
        still.push_back(n);
      }
    }
    open = std::move(still);
  }
  return result;
}

}  // namespace qkvet::ladder
