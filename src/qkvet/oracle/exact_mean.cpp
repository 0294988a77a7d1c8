// Groups of keys with equal scores in exact rational arithmetic, and their means.
#include <arb.h>
#include <flint/fmpq.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <qkvet/oracle/exact_mean.hpp>
#include <qkvet/oracle/round_arf.ipp>
#include <utility>
#include <vector>

namespace qkvet {
namespace {

// One rational number.
class Rational {
 public:
  Rational() { fmpq_init(value_); }
  explicit Rational(double x) : Rational() {
    arf_t exact;
    arf_init(exact);
    arf_set_d(exact, x);
    arf_get_fmpq(value_, exact);
    arf_clear(exact);
  }
  Rational(const Rational& other) : Rational() { fmpq_set(value_, other.value_); }
  Rational& operator=(const Rational& other) {
    fmpq_set(value_, other.value_);
    return *this;
  }
  ~Rational() { fmpq_clear(value_); }

  static void arf_get_fmpq(fmpq_t to, arf_srcptr x) {
    fmpz_t mantissa, exponent;
    fmpz_init(mantissa);
    fmpz_init(exponent);
    arf_get_fmpz_2exp(mantissa, exponent, x);
    fmpq_set_fmpz(to, mantissa);
    const slong e = fmpz_get_si(exponent);  // of a double: small
    if (e >= 0) {
      fmpq_mul_2exp(to, to, static_cast<flint_bitcnt_t>(e));
    } else {
      fmpq_div_2exp(to, to, static_cast<flint_bitcnt_t>(-e));
    }
    fmpz_clear(mantissa);
    fmpz_clear(exponent);
  }

  Rational& operator+=(const Rational& other) {
    fmpq_add(value_, value_, other.value_);
    return *this;
  }
  Rational& operator*=(const Rational& other) {
    fmpq_mul(value_, value_, other.value_);
    return *this;
  }
  Rational& operator/=(const Rational& other) {
    fmpq_div(value_, value_, other.value_);
    return *this;
  }
  bool operator<(const Rational& other) const { return fmpq_cmp(value_, other.value_) < 0; }
  bool operator==(const Rational& other) const { return fmpq_equal(value_, other.value_) != 0; }

  // Rounded once: enough leading bits, then one bit that says whether anything follows.
  [[nodiscard]] std::uint64_t rounded(Format format) const {
    fmpz_t quotient, rest, numerator;
    fmpz_init(quotient);
    fmpz_init(rest);
    fmpz_init(numerator);
    const fmpz* const top = fmpq_numref(value_);
    const fmpz* const bottom = fmpq_denref(value_);
    const auto bits = [](const fmpz* x) { return static_cast<slong>(fmpz_bits(x)); };
    const slong raise = std::max<slong>(0, 80 + bits(bottom) - bits(top));
    fmpz_mul_2exp(numerator, top, static_cast<ulong>(raise));
    fmpz_tdiv_qr(quotient, rest, numerator, bottom);
    fmpz_mul_2exp(quotient, quotient, 1);
    if (!fmpz_is_zero(rest)) {
      if (fmpz_sgn(top) < 0) {
        fmpz_sub_ui(quotient, quotient, 1);
      } else {
        fmpz_add_ui(quotient, quotient, 1);
      }
    }
    arf_t exact;
    arf_init(exact);
    arf_set_fmpz(exact, quotient);
    arf_mul_2exp_si(exact, exact, -raise - 1);
    const std::uint64_t result = round_arf(format, exact);
    arf_clear(exact);
    fmpz_clear(numerator);
    fmpz_clear(rest);
    fmpz_clear(quotient);
    return result;
  }

 private:
  fmpq_t value_;
};

// 1/sqrt(d_k) if it is rational.
std::optional<Rational> rational_scale(const Problem& problem) {
  if (problem.scale) return Rational(*problem.scale);
  const auto root = static_cast<std::int64_t>(std::llround(
      std::sqrt(static_cast<double>(problem.shape.d_k))));
  if (root * root != problem.shape.d_k) return std::nullopt;
  Rational one(1);
  one /= Rational(static_cast<double>(root));
  return one;
}

Rational dot(const Problem& problem, std::int64_t b, std::int64_t h, std::int64_t i,
             std::int64_t j) {
  Rational sum;
  for (std::int64_t c = 0; c < problem.shape.d_k; ++c) {
    Rational product(problem.q.value(b, h, i, c));
    product *= Rational(problem.k.value(b, problem.shape.kv_head(h), j, c));
    sum += product;
  }
  return sum;
}

Rational bias_of(const Problem& problem, std::int64_t b, std::int64_t h, std::int64_t i,
                 std::int64_t j) {
  Rational bias(bias_value(problem, b, h, i, j));
  if (!problem.alibi_slopes) return bias;
  // i + offset - j without overflow: each is exact as a rational.
  Rational distance(static_cast<double>(i - j));
  const std::int64_t offset = diagonal_offset(problem, b);
  const auto high = static_cast<double>(offset / (1LL << 32) * (1LL << 32));
  distance += Rational(high);
  distance += Rational(static_cast<double>(offset % (1LL << 32)));
  if (distance < Rational()) distance *= Rational(-1);
  distance *= Rational(-problem.alibi_slopes->value(h, 0, 0, 0));
  bias += distance;
  return bias;
}

}  // namespace

struct ExactMeans::Groups {
  const Problem& problem;
  std::int64_t b, kv_head;
  std::vector<std::vector<std::int64_t>> members;  // -1: the sink

  // Two keys are put together only if their scores are equal: as rationals where the scale is one
  // and no softcap intervenes, else because what is scaled (or capped) and what is added agree.
  void add_keys(const Semantics& semantics, const RowEnclosure& plan, std::int64_t h,
                std::int64_t i) {
    const std::optional<Rational> scale = rational_scale(problem);
    const bool cap = problem.softcap > 0;
    const bool add_first = semantics.cap_order == Semantics::CapOrder::bias_then_cap;
    const bool one_number = scale && (!cap || add_first);
    std::map<std::pair<Rational, Rational>, std::vector<std::int64_t>> found;
    for (const KeyTrace& key : plan.trace.keys) {
      if (!key.visible) continue;
      std::pair<Rational, Rational> score;
      if (key.sink) {
        // A score that is not capped: alone unless nothing is capped.
        score.second = Rational(key.s.lo);
        if (cap && add_first) {
          members.push_back({-1});
          continue;
        }
      } else {
        const double additive = bias_value(problem, b, h, i, key.key);
        if (!std::isfinite(additive)) {  // -inf under a softcap: each such key alone
          members.push_back({key.key});
          continue;
        }
        score.first = dot(problem, b, h, i, key.key);
        if (scale) score.first *= *scale;
        score.second = bias_of(problem, b, h, i, key.key);
      }
      if (one_number) {
        score.first += score.second;
        score.second = Rational();
      }
      found[score].push_back(key.sink ? -1 : key.key);
    }
    for (auto& [score, keys] : found) members.push_back(std::move(keys));
  }

  [[nodiscard]] Rational mean(const std::vector<std::int64_t>& keys, std::int64_t d) const {
    Rational sum;
    for (const std::int64_t j : keys) {
      if (j >= 0) sum += Rational(problem.v.value(b, kv_head, j, d));
    }
    sum /= Rational(static_cast<double>(keys.size()));
    return sum;
  }
};

ExactMeans::ExactMeans(const Problem& problem, const Semantics& semantics,
                       const RowEnclosure& plan, std::int64_t b, std::int64_t h, std::int64_t i)
    : groups_(std::make_unique<Groups>(Groups{problem, b, problem.shape.kv_head(h), {}})) {
  groups_->add_keys(semantics, plan, h, i);
}
ExactMeans::~ExactMeans() = default;

std::optional<std::uint64_t> ExactMeans::rounded(std::int64_t d, Format format) const {
  const auto& members = groups_->members;
  const Rational first = groups_->mean(members.front(), d);
  for (std::size_t g = 1; g < members.size(); ++g) {
    if (!(groups_->mean(members[g], d) == first)) return std::nullopt;
  }
  return first.rounded(format);
}

}  // namespace qkvet
