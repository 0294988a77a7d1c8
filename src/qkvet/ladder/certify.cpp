// Error bounds of single values from the sums of the first rung, and the rounding tests.
#include <bit>
#include <cmath>
#include <qkvet/ladder/certify.hpp>
#include <qkvet/oracle/outward.hpp>

namespace qkvet::ladder {
namespace {

using outward::down;
using outward::gamma_up;
using outward::up;

constexpr double u = outward::u;
constexpr double exp_part = 3 * 0x1p-52;  // docs/ladder.md 3.2

}  // namespace

std::optional<std::uint64_t> round_certainly(Format format, double x, double error) {
  if (!(std::fabs(x) <= outward::largest && error <= outward::largest)) return std::nullopt;
  const std::uint64_t low = encode(format, down(x - error)), high = encode(format, up(x + error));
  if (!same_bits(low, high)) return std::nullopt;
  return low;
}

// Sign, exponent with the other bias, and the leading bits of the fraction; the rest are zeros.
std::uint64_t encode_normal(Format format, double x) {
  const FormatInfo& to = info(format);
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const int dropped = 53 - to.precision;
  const std::uint64_t rebias = static_cast<std::uint64_t>(1022 + to.e_min) << 52;
  const std::uint64_t magnitude = ((bits & ~(std::uint64_t{1} << 63)) - rebias) >> dropped;
  return magnitude | (bits >> 63) << (8 * to.bytes - 1);
}

RoundingTest rounding_test(Format format, const RowError& error) {
  const FormatInfo& to = info(format);
  return {error.sum,          error.alpha, error.beta, error.tau,
          1.5 * std::ldexp(1.0, 53 - to.precision), to.u, to.mu, to.max};
}

double sharp_error(const HeadBlocks& head, const FirstRows& rows, std::int64_t r, std::int64_t d,
                   double o) {
  const RowError& e = rows.error(r);
  const double* const w = rows.weights(r);
  const double* const z = rows.exponent_errors(r);
  double moved = 0, absolute = 0;
  for (std::int64_t j = 0; j < head.S_pad; ++j) {
    const double v = head.value(j, d);
    moved += w[j] * (z[j] * (1 + z[j]) + exp_part) * std::fabs(v - o);
    absolute += w[j] * std::fabs(v);
  }
  // At most 6 roundings a term and one for each addition; |v - o~| differs from |v - o| by the
  // rounding of o. Underflow is far below what `lost` holds for flushed keys.
  const double inflate = up(1 / down(1 - gamma_up(head.S_pad + 8)));
  const double size = up(std::fabs(o) * (1 + 4 * u));
  const double most = up(head.value_max[static_cast<std::size_t>(d)] + size);
  const double terms[] = {up(moved * inflate), up(up(e.lost * (2 * u)) * size),
                          up(up(static_cast<double>(head.S_pad) * 0x1p-850) * most),
                          up(e.gamma_value * up(absolute * inflate)),
                          up(up(e.gamma_sum * e.W) * size)};
  double total = 0;
  for (const double term : terms) total = up(total + term);
  return up(up(up(total / e.denominator) + up(u * size)) + e.tau);
}

Bounded log_sum(const FirstRows& rows, std::int64_t r) {
  const RowError& e = rows.error(r);
  const double of_sum = up(up(e.lost + up(e.gamma_sum * e.W)) / e.sum);
  const Interval sum{down(e.sum * down(1 - of_sum)), up(e.sum * up(1 + of_sum))};
  const Interval lse = outward::add(outward::log(sum), outward::point(rows.shift(r)));
  if (!outward::is_bounded(lse)) return {0, outward::infinity};
  const double value = lse.mid();
  return {value, std::fmax(up(lse.hi - value), up(value - lse.lo))};
}

Bounded weight(const FirstRows& rows, std::int64_t r, std::int64_t j) {
  const RowError& e = rows.error(r);
  const double w = rows.weights(r)[j], z = rows.exponent_errors(r)[j];
  const double p = w / e.sum;
  const double own = w > 0 ? up(w * up(up(z * up(1 + z)) + exp_part)) : 0x1p-860;
  const double size = up(p * (1 + 4 * u));
  const double shared = up(size * up(e.lost + up(e.gamma_sum * e.W)));
  return {p, up(up(up(own + shared) / e.denominator) + up(u * size))};
}

}  // namespace qkvet::ladder
