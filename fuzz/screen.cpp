#include "fuzz/screen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "fuzz/decide_row.hpp"

namespace qkvet::fuzz {
namespace {

constexpr double u = 0x1p-53;
constexpr double infinity = std::numeric_limits<double>::infinity();
// What first-order terms leave out on either side, as long as every exponent error of our own is
// below `first_order`: docs/fuzzing.md 5.3.
constexpr double first_order = 0x1p-16;
// A weight below e^-dead is far below what every format loses anyway: docs/fuzzing.md 5.3.
constexpr double dead = 800;
constexpr double less = 1 - 0x1p-10, more = 1 + 0x1p-10;

constexpr std::uint8_t holds_infinity = 1, holds_nan = 2;

bool is_zero(double x) { return std::fabs(x) <= 0; }

/// Decodes `count` values; says what is among them besides numbers.
std::uint8_t decode_all(const Tensor& tensor, std::size_t from, std::size_t count, double* to) {
  double sum = 0;  // of x - x: 0, or NaN as soon as one is not finite
  for (std::size_t n = 0; n < count; ++n) {
    to[n] = decode(tensor.format, tensor.bits[from + n]);
    sum += to[n] - to[n];
  }
  if (is_zero(sum)) return 0;
  std::uint8_t found = 0;
  for (std::size_t n = 0; n < count; ++n) {
    if (std::isnan(to[n])) found |= holds_nan;
    if (std::isinf(to[n])) found |= holds_infinity;
  }
  return found;
}

}  // namespace

bool Screen::prepare(const Problem& problem, const Contract& contract) {
  problem_ = &problem;
  contract_ = &contract;
  scale_ = problem.shape.d_k == 0 && !problem.scale ? 1.0 : scale_value(problem);
  b_ = head_ = -1;
  set_letters();
  const Semantics& s = contract.semantics;
  const bool plain_cap =
      !(problem.softcap > 0) || s.cap_order == Semantics::CapOrder::cap_then_bias;
  const bool shifted = problem.alibi_slopes &&
                       contract.arithmetic.alibi_origin == Arithmetic::AlibiOrigin::first_key;
  // Double says nothing about a kernel that computes in double itself.
  return problem.format != Format::binary64 && plain_cap && !shifted && std::isfinite(scale_);
}

void Screen::decode_head(std::int64_t b, std::int64_t head) {
  if (b == b_ && head == head_) return;
  const Problem& p = *problem_;
  const auto S = static_cast<std::size_t>(p.shape.S);
  const auto d_k = static_cast<std::size_t>(p.shape.d_k);
  const auto d_v = static_cast<std::size_t>(p.shape.d_v);
  k_.resize(S * d_k);
  v_.resize(S * d_v);
  key_special_.resize(S);
  value_special_.resize(S);
  const std::size_t at = static_cast<std::size_t>(b * p.shape.H_kv + head) * S;
  for (std::size_t j = 0; j < S; ++j) {
    key_special_[j] = decode_all(p.k, (at + j) * d_k, d_k, k_.data() + j * d_k);
    value_special_[j] = decode_all(p.v, (at + j) * d_v, d_v, v_.data() + j * d_v);
  }
  b_ = b;
  head_ = head;
}

void Screen::set_letters() {
  const bound::Letters l = bound::letters_of(contract_->arithmetic, problem_->shape, 1);
  divide_ = l.eps_div.value();
  store_ = l.u_out.value();
  dot_ = l.dot_error.value();
  exp_ = l.eps_exp.value();
  unit_ = l.u_S.value();
  argument_ = l.words.argument_rounds * unit_;
  round_ = l.words.score_rounds * unit_;
  log_ = l.eps_log.value() + unit_;
  store_lse_ = l.u_lse.value();
  omega_ = l.omega.value();
  eta_ = l.eta_acc.value();
  sums_of_.assign(static_cast<std::size_t>(problem_->shape.S) + 2, {});
}

void Screen::set_sums(std::int64_t n) {
  Sums& sums = sums_of_[static_cast<std::size_t>(n)];
  if (sums.nu < 0) {
    const bound::Letters l = bound::letters_of(contract_->arithmetic, problem_->shape, n);
    sums = {l.nu(0).value(), l.mu(0).value()};
  }
  sums_ = sums;
}

/// Scores of the visible keys, with our own error and with the least error that the contract
/// admits. docs/fuzzing.md 5.1, 5.2
bool Screen::scores(const Row& row) {
  const Problem& p = *problem_;
  const auto d_k = static_cast<std::size_t>(p.shape.d_k);
  const auto d_v = static_cast<std::size_t>(p.shape.d_v);
  q_.resize(d_k);
  special_ = decode_all(p.q, p.q.index(row.b, row.h, row.i, 0), d_k, q_.data());
  if (special_ != 0 && !contract_->promises.selection) return false;
  const bool cap = p.softcap > 0;
  const std::int64_t diagonal = p.alibi_slopes ? row.i + diagonal_offset(p, row.b) : 0;
  const double slope = p.alibi_slopes ? p.alibi_slopes->value(row.h, 0, 0, 0) : 0;
  keys_.clear();
  for (std::int64_t j = 0; j < p.shape.S; ++j) {
    const auto at = static_cast<std::size_t>(j);
    if (!visible(p, row.b, row.h, row.i, j)) {
      const bool hidden = key_special_[at] != 0 || value_special_[at] != 0;
      if (hidden && !contract_->promises.selection) return false;
      continue;
    }
    special_ |= key_special_[at];
    const double* k = k_.data() + at * d_k;
    double dot = 0, size = 0;
    for (std::size_t c = 0; c < d_k; ++c) {
      const double product = q_[c] * k[c];
      dot += product;
      size += std::fabs(product);
    }
    const double x = scale_ * dot;
    const double A = std::fabs(scale_) * size;
    const double capped = cap ? p.softcap * std::tanh(x / p.softcap) : x;
    const double bias = p.mask.bias ? bias_value(p, row.b, row.h, row.i, j) : 0;
    const double alibi = slope * std::fabs(static_cast<double>(diagonal - j));
    const double s = capped + bias - alibi;
    Key key{v_.data() + at * d_v, s, 0, 0, 0, 0};
    key.error = u * ((static_cast<double>(d_k) + 8) * A + 16 * std::fabs(capped) +
                     4 * (std::fabs(bias) + std::fabs(alibi)) + 4 * std::fabs(s));
    key.least = (cap ? 0 : dot_ * A) + round_ * std::fabs(s) + exp_;
    keys_.push_back(key);
  }
  return true;
}

/// Weights, what is left of each key's exponent error, and the range of it all. docs/fuzzing.md 5.3
bool Screen::weights() {
  m_ = -infinity;
  for (const Key& key : keys_) m_ = std::max(m_, key.s);
  if (!std::isfinite(m_)) return false;
  sum_ = 0;
  for (Key& key : keys_) {
    if (key.s + 2 * key.error <= m_ - dead) {
      key.w = key.error = key.least = 0;
      continue;
    }
    key.w = std::exp(key.s - m_);
    sum_ += key.w;
    key.error += u * (m_ - key.s + 8);
    key.least += argument_ * (m_ - key.s);
    if (!(key.error <= first_order)) return false;
  }
  // sum p e^least: what the numerator of the box is divided by.
  double grown = 0;
  least_mean_ = 0;
  spread_ = 0;
  for (Key& key : keys_) {
    key.w /= sum_;
    grown += key.w * std::exp(key.least);
    least_mean_ += key.w * key.least;
    spread_ = std::max(spread_, key.error);
  }
  if (!std::isfinite(grown)) return false;
  for (Key& key : keys_) {
    key.part = key.w * (less * -std::expm1(-key.least) / grown - more * key.error);
  }
  return true;
}

/// docs/fuzzing.md 5.4
bool Screen::outputs(const double* got) const {
  const auto n = static_cast<double>(keys_.size());
  const double ours = more * u * (n + 8);
  const double lost = omega_ / sum_, sums_lost = (2 * n + 2) * eta_ / sum_;
  for (std::int64_t d = 0; d < problem_->shape.d_v; ++d) {
    double o = 0, absolute = 0, total = 0, low = infinity, high = -infinity;
    for (const Key& key : keys_) {
      const double v = key.v == nullptr ? 0 : key.v[d];
      o += key.w * v;
      absolute += key.w * std::fabs(v);
      total += std::fabs(v);
      low = std::min(low, v);
      high = std::max(high, v);
    }
    if (!std::isfinite(total)) {  // a NaN is due or may be there: docs/fuzzing.md 5.6
      if (!open_column(got[d], d)) return false;
      continue;
    }
    double spread = 0;
    for (const Key& key : keys_) {
      spread += key.part * std::fabs((key.v == nullptr ? 0 : key.v[d]) - o);
    }
    const double size = std::fabs(o);
    const double sums = less * (sums_.nu * absolute + (sums_.mu + divide_ + store_) * size +
                                lost * total + sums_lost) -
                        ours * (absolute + size);
    const double radius = sums + spread;
    if (!(std::fabs(got[d] - o) <= radius)) return false;
    if (!(low - sums <= got[d] && got[d] <= high + sums)) return false;
  }
  return true;
}

/// docs/fuzzing.md 5.6: a visible NaN gives NaN; infinities alone give NaN or an infinity.
bool Screen::open_column(double got, std::int64_t d) const {
  if (std::isnan(got)) return true;
  bool nan = false;
  for (const Key& key : keys_) nan = nan || (key.v != nullptr && std::isnan(key.v[d]));
  return !nan && std::isinf(got);
}

/// docs/fuzzing.md 5.5
bool Screen::log_sum(const Row& row, double got) const {
  const Semantics& s = contract_->semantics;
  if (has_sink(*problem_, row.h) && s.lse_sink != Semantics::LseSink::included) return false;
  if (s.lse_base == Semantics::LseBase::two) return false;
  const double lse = m_ + std::log(sum_);
  const double n = static_cast<double>(keys_.size());
  const double size = std::fabs(lse) + std::fabs(m_);
  const double radius = less * (std::log1p(least_mean_) + 2 * unit_ * size +
                                log_ * (std::log(n) + 1) + store_lse_ * std::fabs(lse)) -
                        more * (spread_ + u * (4 * size + n + 8));
  return std::fabs(got - lse) <= radius;
}

/// docs/fuzzing.md 5.6
bool Screen::empty_row(const Row& row, const double* o, const double* lse) const {
  const Semantics& s = contract_->semantics;
  if (!contract_->promises.selection) return false;
  const bool sink = has_sink(*problem_, row.h);
  const bool zero = sink || s.empty_row == Semantics::EmptyRow::zero;
  const bool nan = !zero && s.empty_row == Semantics::EmptyRow::nan;
  if (!zero && !nan) return false;
  for (std::int64_t d = 0; d < problem_->shape.d_v; ++d) {
    if (zero ? !is_zero(o[d]) : !std::isnan(o[d])) return false;
  }
  if (lse == nullptr) return true;
  if (!sink) return s.empty_lse == Semantics::EmptyLse::minus_inf && *lse <= -infinity;
  const double logit = problem_->sinks->value(row.h, 0, 0, 0);
  const bool told =
      s.lse_sink == Semantics::LseSink::included && s.lse_base != Semantics::LseBase::two;
  return told && std::fabs(*lse - logit) <= less * 4 * unit_ * std::fabs(logit);
}

/// docs/fuzzing.md 5.6: a NaN gives NaN; an infinity gives NaN, an infinity, or a mean of V.
bool Screen::special_row(const double* o, const double* lse) const {
  const bool nan = (special_ & holds_nan) != 0;
  for (std::int64_t d = 0; d < problem_->shape.d_v; ++d) {
    if (std::isnan(o[d])) continue;
    if (nan) return false;
    if (std::isinf(o[d])) continue;
    double low = infinity, high = -infinity;
    for (const Key& key : keys_) {
      low = std::min(low, key.v[d]);
      high = std::max(high, key.v[d]);
    }
    if (!(low <= o[d] && o[d] <= high && std::isfinite(high - low))) return false;
  }
  return lse == nullptr || !std::isfinite(*lse);
}

bool Screen::row(const Row& row, const double* o, const double* lse) {
  decode_head(row.b, problem_->shape.kv_head(row.h));
  if (!scores(row)) return false;
  if (keys_.empty()) return empty_row(row, o, lse);
  if (special_ != 0) return special_row(o, lse);
  if (has_sink(*problem_, row.h)) {
    const double sink = problem_->sinks->value(row.h, 0, 0, 0);
    if (!std::isfinite(sink)) return false;
    keys_.push_back({nullptr, sink, 0, 0, 0, 0});
  }
  set_sums(static_cast<std::int64_t>(keys_.size()));
  return weights() && outputs(o) && (lse == nullptr || log_sum(row, *lse));
}

bool Screen::every_row(const Problem& problem, const Contract& contract, const Seen& seen,
                       bool ask_oracles) {
  if (seen.status != RunStatus::ok || seen.faults) return false;
  const bool quick = prepare(problem, contract);
  const Shape& shape = problem.shape;
  const double* o = seen.o.data();
  const double* lse = problem.want_lse ? seen.lse.data() : nullptr;
  for (std::int64_t b = 0; b < shape.B; ++b)
    for (std::int64_t h = 0; h < shape.H_q; ++h)
      for (std::int64_t i = 0; i < shape.L; ++i) {
        const bool inside = (quick && row({b, h, i}, o, lse)) ||
                            (ask_oracles && admitted(problem, contract, b, h, i, o, lse));
        if (!inside) return false;
        o += shape.d_v;
        if (lse != nullptr) ++lse;
      }
  return true;
}

bool Screen::accepts_at_once(const Problem& problem, const Contract& contract, const Seen& seen) {
  return every_row(problem, contract, seen, false);
}

bool Screen::accepts(const Problem& problem, const Contract& contract, const Seen& seen) {
  return every_row(problem, contract, seen, true);
}

}  // namespace qkvet::fuzz
