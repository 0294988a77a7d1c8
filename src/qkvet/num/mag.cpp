// The elementary functions of Mag from the proven exp: docs/bounds.md 8.2. The C library's logarithms
// are guesses only.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <qkvet/num/mag.hpp>
#include <qkvet/num/proven_exp.hpp>

namespace qkvet {
namespace {

using detail::above;
using detail::below;

constexpr double largest = std::numeric_limits<double>::max();
constexpr double overflows = 710;     // exp(710) exceeds every double
constexpr double by_series = 0.5;     // up to here exp(x) - 1 is summed
constexpr double log_2_512 = 0x1.62e42fefa39f0p8;  // > 512 ln 2, by which extreme x are moved

// x (1 + x/2 (1 + x/3 (1 + ... x/n t))): the series of exp(x) - 1 up to x^n, whose rest lies between
// t = 1 + x / (n + 1) and t = 1 / (1 - x / (n + 1)). For 0 <= x <= 1/2; both within 2^-49 of it.
constexpr int most_terms = 13;
int terms_for(double x) {
  return x <= 0x1p-16 ? 2 : x <= 0x1p-10 ? 4 : x <= 0x1p-4 ? 7 : most_terms;
}

// 1/k, rounded up and down.
struct Inverses {
  double up[most_terms + 2] = {}, down[most_terms + 2] = {};
};
constexpr Inverses inverses = [] {
  Inverses of;
  for (int k = 2; k < most_terms + 2; ++k) {
    const auto bits = std::bit_cast<std::uint64_t>(1.0 / k);
    of.up[k] = std::bit_cast<double>(bits + 1);
    of.down[k] = std::bit_cast<double>(bits - 1);
  }
  return of;
}();

double series_up(double x) {
  const int n = terms_for(x);
  double sum = above(1 / below(1 - above(x * inverses.up[n + 1])));
  for (int k = n; k >= 2; --k) sum = above(1 + above(above(x * inverses.up[k]) * sum));
  return above(x * sum);
}
double series_down(double x) {
  const int n = terms_for(x);
  double sum = below(1 + below(x * inverses.down[n + 1]));
  for (int k = n; k >= 2; --k) sum = below(1 + below(below(x * inverses.down[k]) * sum));
  return below(x * sum);
}

double expm1_down(double x) {
  return x <= by_series ? series_down(x) : below(down_exp(x) - 1);
}

}  // namespace

Mag mag_sqrt(Mag x) { return x.is_zero() ? Mag{} : Mag{above(std::sqrt(x.value()))}; }

Mag mag_exp(double x) {
  if (!(x < overflows)) return Mag::infinity();
  if (x < 0 && x >= -by_series) return {above(1 / below(1 + series_down(-x)))};
  if (x <= 0) return {proven::exp_upper(proven::exp_of(x, 0).first)};
  if (x <= by_series) return {above(1 + series_up(x))};
  if (x > 700) return mag_exp(x / 2) * mag_exp(x / 2);
  return {above(1 / proven::exp_lower(proven::exp_of(-x, 0).first))};
}

double down_exp(double x) {
  if (x <= 0) {
    return x >= -by_series ? below(1 / above(1 + series_up(-x)))
                           : proven::exp_lower(proven::exp_of(x, 0).first);
  }
  if (!(x < overflows)) return largest;
  if (x > 700) return down_multiply(down_exp(x / 2), down_exp(x / 2));
  return below(1 / proven::exp_upper(proven::exp_of(-x, 0).first));
}

Mag mag_expm1(Mag x) {
  if (x.is_zero()) return {};
  if (x.value() <= by_series) return {series_up(x.value())};
  return subtract(mag_exp(x.value()), 1);
}

// (e^x - 1) / (1 + (e^x - 1)) rises with e^x - 1.
Mag mag_one_minus_exp(Mag x) {
  const Mag e = mag_expm1(x);
  if (!e.is_finite()) return {1.0};
  return min(divide(e, below(1 + e.value())), Mag{1.0});
}

// With any y: ln(1 + x) = y + ln((1 + x) e^-y) <= y + (1 + x) e^-y - 1 = y + e^-y (x - (e^y - 1)).
Mag mag_log1p(Mag x) {
  if (x.is_zero() || !x.is_finite()) return x;
  const double y = std::max(0.0, std::log1p(x.value()));
  const Mag rest = subtract(x, expm1_down(y));
  return Mag{y} + rest * mag_exp(-y);
}

// ln x <= y + x e^-y - 1 likewise.
Mag mag_log(double x) {
  if (!(x > 1)) return {};
  if (x <= 2) return mag_log1p({x - 1});  // exact
  if (!(x <= largest)) return Mag::infinity();
  if (x > 0x1p900) return mag_log(std::ldexp(x, -512)) + Mag{log_2_512};
  const double y = std::log(x);
  return Mag{y} + subtract(Mag{x} * mag_exp(-y), 1);
}

// -ln x = ln(1 + (1 - x) / x), and -ln x <= y + e^-y / x - 1.
Mag mag_minus_log(double x) {
  if (!(x > 0)) return Mag::infinity();
  if (!(x < 1)) return {};
  if (x >= 0.5) return mag_log1p(divide(Mag{1 - x}, x));  // 1 - x is exact
  if (x < 0x1p-900) return mag_minus_log(std::ldexp(x, 512)) + Mag{log_2_512};
  const double y = -std::log(x);
  return Mag{y} + subtract(divide(mag_exp(-y), x), 1);
}

Mag mag_sech_squared(double x) {
  // 4 t / (1 + t)^2 with t = e^(-2x) rises with t on [0, 1].
  const double t = mag_exp(-2.0 * x).value();
  if (!(t < 1)) return {1.0};
  const double root = below(1.0 + t);
  return min(divide(Mag{4.0} * Mag{t}, down_multiply(root, root)), Mag{1.0});
}

}  // namespace qkvet
