// The elementary functions of Mag. docs/bounds.md 8.2: glibc 2.36 documents 1 ulp for exp, expm1,
// log and log1p on x86-64 and aarch64; doubled, and doubled again because an ulp of the exact value
// may be two of the computed one, that is 4 steps.
#include <cmath>
#include <qkvet/num/mag.hpp>

namespace qkvet {
namespace {

constexpr std::uint64_t libm_steps = 4;  // docs/bounds.md 8.2

}  // namespace

Mag mag_sqrt(Mag x) { return x.is_zero() ? Mag{} : Mag{detail::above(std::sqrt(x.value()))}; }

Mag mag_exp(double x) { return {detail::above(std::exp(x), libm_steps)}; }

Mag mag_expm1(Mag x) {
  return x.is_zero() ? Mag{} : Mag{detail::above(std::expm1(x.value()), libm_steps)};
}

Mag mag_one_minus_exp(Mag x) {
  return x.is_zero() ? Mag{}
                     : min(Mag{detail::above(-std::expm1(-x.value()), libm_steps)}, Mag{1.0});
}

Mag mag_log(double x) { return x > 1 ? Mag{detail::above(std::log(x), libm_steps)} : Mag{}; }

Mag mag_log1p(Mag x) {
  return x.is_zero() ? Mag{} : Mag{detail::above(std::log1p(x.value()), libm_steps)};
}

Mag mag_minus_log(double x) {
  if (!(x > 0)) return Mag::infinity();
  return x < 1 ? Mag{detail::above(-std::log(x), libm_steps)} : Mag{};
}

Mag mag_sech_squared(double x) {
  // 4 t / (1 + t)^2 with t = e^(-2x) rises with t on [0, 1].
  const double t = mag_exp(-2.0 * x).value();
  if (!(t < 1)) return {1.0};
  const double root = detail::below(1.0 + t);
  return min(divide(Mag{4.0} * Mag{t}, down_multiply(root, root)), Mag{1.0});
}

double down_exp(double x) { return detail::below(std::exp(x), libm_steps); }

}  // namespace qkvet
