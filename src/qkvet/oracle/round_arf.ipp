// A number of any precision, rounded once to a storage format. Included by sources that have Arb's
// types.
#pragma once

#include <arb.h>

#include <cstdint>
#include <limits>
#include <qkvet/num/format.hpp>

namespace qkvet {

/// x rounded to `format`, ties to even; beyond the largest number to infinity; 0 gives +0, what is too small
/// for the format a zero with its sign.
[[nodiscard]] inline std::uint64_t round_arf(Format format, arf_srcptr x) {
  const FormatInfo& to = info(format);
  if (arf_is_special(x)) return encode(format, arf_get_d(x, ARF_RND_NEAR));
  // 2^(e-1) <= |x| < 2^e: as many bits as lie above the smallest subnormal, at most p.
  fmpz_t exponent;
  fmpz_init(exponent);
  arf_abs_bound_lt_2exp_fmpz(exponent, x);
  const bool tiny = fmpz_cmp_si(exponent, to.e_min - to.precision + 1) < 0;
  const bool huge = fmpz_cmp_si(exponent, to.e_max + 2) > 0;
  const slong e = tiny || huge ? 0 : fmpz_get_si(exponent);
  fmpz_clear(exponent);
  const double sign = arf_sgn(x) < 0 ? -1 : 1;
  if (tiny) return encode(format, sign * 0.0);
  if (huge) return encode(format, sign * std::numeric_limits<double>::infinity());
  const slong bits = std::min<slong>(to.precision, e - (to.e_min - to.precision + 1));
  if (bits <= 0) {  // eta/2 <= |x| < eta: a tie at eta/2 goes to 0
    return encode(format, sign * (arf_cmpabs_2exp_si(x, e - 1) > 0 ? to.eta : 0.0));
  }
  arf_t y;
  arf_init(y);
  arf_set_round(y, x, bits, ARF_RND_NEAR);
  // At most p bits within the range of binary64, or 2^(e_max + 1) and beyond: exact or infinite.
  const double rounded = arf_get_d(y, ARF_RND_NEAR);
  arf_clear(y);
  return encode(format, rounded);
}

}  // namespace qkvet
