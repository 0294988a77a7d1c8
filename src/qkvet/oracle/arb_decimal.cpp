// Proven decimal digits: a number is printed when both ends of its ball round to the same digits.
#include <mpfr.h>

#include <optional>
#include <qkvet/num/float_environment.hpp>
#include <qkvet/oracle/arb_row.ipp>
#include <qkvet/oracle/oracle.hpp>

namespace qkvet {
namespace {

// Digits and exponent of 0.DIGITS * 10^exponent.
struct Decimal {
  std::string digits;  // with a leading '-' if negative
  long exponent = 0;

  bool operator==(const Decimal&) const = default;
};

Decimal rounded(mpfr_srcptr x, int digits) {
  Decimal result;
  char* const text =
      mpfr_get_str(nullptr, &result.exponent, 10, static_cast<std::size_t>(digits), x, MPFR_RNDN);
  result.digits = text;
  mpfr_free_str(text);
  return result;
}

// 17.5, 0.25, 1.5e-12: trailing zeros are dropped, a zero stays a zero.
std::string written(Decimal number, int digits) {
  std::string sign;
  if (number.digits[0] == '-') {
    sign = "-";
    number.digits.erase(0, 1);
  }
  std::string& text = number.digits;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.empty()) return "0";
  const long point = number.exponent;
  const auto length = static_cast<long>(text.size());
  if (point > digits || point < -4) {
    if (length > 1) text.insert(1, ".");
    return sign + text + "e" + std::to_string(point - 1);
  }
  if (point <= 0) return sign + "0." + std::string(static_cast<std::size_t>(-point), '0') + text;
  if (length <= point)
    return sign + text + std::string(static_cast<std::size_t>(point - length), '0');
  text.insert(static_cast<std::size_t>(point), ".");
  return sign + text;
}

// The number to `digits` digits if its ball decides them. With `fewer`, as many digits as are
// certain.
std::optional<std::string> decided(arb_srcptr x, slong precision, int digits, bool fewer) {
  if (arb_is_zero(x)) return "0";
  if (!arb_is_finite(x)) return std::nullopt;
  mpfr_t lo, hi;
  mpfr_init2(lo, precision + 64);
  mpfr_init2(hi, precision + 64);
  arb_get_interval_mpfr(lo, hi, x);
  std::optional<std::string> result;
  for (int count = digits; count >= 1 && !result; --count) {
    const Decimal low = rounded(lo, count), high = rounded(hi, count);
    if (low == high && mpfr_sgn(lo) == mpfr_sgn(hi)) result = written(low, digits);
    if (!fewer) break;
  }
  if (!result && fewer) {
    const Decimal low = rounded(lo, 2), high = rounded(hi, 2);
    result = "between " + written(low, digits) + " and " + written(high, digits);
  }
  mpfr_clear(lo);
  mpfr_clear(hi);
  return result;
}

}  // namespace

std::vector<std::string> ArbRung::decimals(std::int64_t b, std::int64_t h, std::int64_t i,
                                           int digits) {
  state_->hold_head(b, state_->mask.kv_head(h));
  const RowEnclosure plan = state_->read_row(b, h, i);
  const std::size_t columns = plan.o.size();
  std::vector<std::string> result(columns + 1, "undefined");
  if (plan.row_class == RowClass::empty) {
    std::fill(result.begin(), result.end(), "0");
    result.back() = "-inf";
    if (plan.trace.n == 0) return result;
    Arb logit;
    arb_set_d(logit.get(), plan.trace.keys.back().s.lo);
    result.back() = *decided(logit.get(), 64, digits, true);
    return result;
  }
  if (plan.row_class == RowClass::nonfinite) return result;
  const slong start = 4 * slong{digits} + 64;  // More than log2(10) bits a digit.
  const slong end = std::max<slong>(8192, 2 * start);
  bool open = true;
  for (slong precision = start; open; precision = std::min(2 * precision, end)) {
    const ArbRow row = state_->compute(plan, b, h, i, precision);
    open = false;
    for (std::size_t n = 0; n <= columns; ++n) {
      const bool output = n < columns;
      if (output && (plan.columns[n].visible_nan || plan.columns[n].visible_inf)) continue;
      arb_srcptr x = output ? row.o.at(static_cast<std::int64_t>(n)) : row.lse.get();
      const std::optional<std::string> text = decided(x, precision, digits, precision >= end);
      if (text) result[n] = *text;
      open |= !text && precision < end;
    }
  }
  return result;
}

std::vector<std::string> decimal_row(const Problem& problem, const Semantics& semantics,
                                     std::int64_t b, std::int64_t h, std::int64_t i, int digits) {
  const DefaultFloatEnvironment environment;
  return ArbRung(problem, semantics).decimals(b, h, i, std::max(digits, 1));
}

}  // namespace qkvet
