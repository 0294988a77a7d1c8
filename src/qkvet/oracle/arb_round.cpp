// Values of one row rounded once to a format: a ball is decided when both of its ends round to the
// same encoding. docs/ladder.md 8.
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
    arb_srcptr const x = at < d_v ? row.o.at(at)
                         : at == d_v ? row.lse.get()
                                     : row.p.at(at - d_v - 1);
    result[n] = round_ball(format, x, precision);
  }
  return result;
}

}  // namespace qkvet
