// Values of one row rounded once to a format: a ball is decided when both of its ends round to the
// same encoding. docs/ladder.md 8.
#include <algorithm>
#include <qkvet/num/float_environment.hpp>
#include <qkvet/oracle/arb_row.ipp>
#include <qkvet/oracle/round_arf.ipp>

namespace qkvet {
namespace {

RoundedBall round_ball(Format format, arb_srcptr x, slong precision) {
  RoundedBall result;
  if (!arb_is_finite(x)) return result;
  arf_t lo, hi;
  arf_init(lo);
  arf_init(hi);
  arb_get_interval_arf(lo, hi, x, 2 * precision);
  result.low = round_arf(format, lo);
  result.high = round_arf(format, hi);
  result.decided = same_bits(result.low, result.high);
  arf_clear(lo);
  arf_clear(hi);
  return result;
}

/// What every number right above x rounds to. All numbers at which the rounding steps are multiples
/// of half of the smallest subnormal, so none lies within half a unit of that grid and of x's own.
std::uint64_t round_just_above(Format format, arf_srcptr x) {
  fmpz_t mantissa, exponent;
  fmpz_init(mantissa);
  fmpz_init(exponent);
  arf_get_fmpz_2exp(mantissa, exponent, x);
  const FormatInfo& to = info(format);
  const slong finest = to.e_min - to.precision;
  if (fmpz_cmp_si(exponent, finest) > 0) fmpz_set_si(exponent, finest);
  arf_t above;
  arf_init(above);
  arf_set_si_2exp_si(above, 1, -1);
  arf_mul_2exp_fmpz(above, above, exponent);
  arf_add(above, above, x, ARF_PREC_EXACT, ARF_RND_DOWN);
  const std::uint64_t result = round_arf(format, above);
  arf_clear(above);
  fmpz_clear(mantissa);
  fmpz_clear(exponent);
  return result;
}

/// The log-sum-exp of two keys or more lies above every score, if only by exp(-10^4): where a score
/// that is known exactly is a tie, no ball would ever tell. docs/ladder.md 8.
void raise_lse(Format format, const RowEnclosure& plan, const ArbRow& row, RoundedBall& lse) {
  const auto weighs = [&](const KeyTrace& key) {
    return key.visible && arb_is_finite(row.s.at(key.key));
  };
  if (lse.decided || !arb_is_finite(row.lse.get())) return;
  if (std::count_if(plan.trace.keys.begin(), plan.trace.keys.end(), weighs) < 2) return;
  for (const KeyTrace& key : plan.trace.keys) {
    if (!weighs(key) || !arb_is_exact(row.s.at(key.key))) continue;
    const std::uint64_t least = round_just_above(format, arb_midref(row.s.at(key.key)));
    if (decode(format, least) > decode(format, lse.low)) lse.low = least;
  }
  lse.decided = same_bits(lse.low, lse.high);
}

}  // namespace

std::vector<RoundedBall> ArbRung::rounded(std::int64_t b, std::int64_t h, std::int64_t i,
                                          Format format, std::span<const std::int64_t> wanted,
                                          int precision) {
  const DefaultFloatEnvironment environment;
  state_->hold_head(b, state_->mask.kv_head(h));
  const RowEnclosure plan = state_->read_row(b, h, i);
  std::vector<RoundedBall> result(wanted.size());
  if (plan.row_class != RowClass::live) return result;
  const ArbRow row = state_->compute(plan, b, h, i, precision);
  const std::int64_t d_v = state_->problem.shape.d_v;
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    const std::int64_t at = wanted[n];
    arb_srcptr const x = at < d_v    ? row.o.at(at)
                         : at == d_v ? row.lse.get()
                                     : row.p.at(at - d_v - 1);
    result[n] = round_ball(format, x, precision);
    if (at == d_v) raise_lse(format, plan, row, result[n]);
  }
  return result;
}

}  // namespace qkvet
