// The frame of the screen: heads, rows, scores, and rows that are no sums. The sums are in
// screen_sums.cpp.
#include "fuzz/screen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <qkvet/num/convert.hpp>

#include "fuzz/decide_row.hpp"
#include "fuzz/feedback.hpp"

namespace qkvet::fuzz {
namespace {

constexpr double u = 0x1p-53;
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double less = 1 - 0x1p-10;

constexpr std::uint8_t holds_infinity = 1, holds_nan = 2;

bool is_zero(double x) { return std::fabs(x) <= 0; }

/// Decodes `rows` times `count` values that lie in a row, each row to a place `stride` further on.
/// True if all are numbers.
bool decode_rows(const Tensor& tensor, std::size_t from, std::size_t rows, std::size_t count,
                 double* to, std::size_t stride) {
  const std::uint64_t* bits = tensor.bits.data() + from;
  double sum = 0;  // of x - x: 0, or NaN as soon as one is not finite
  convert::with_format(tensor.format, [&](auto known) {
    for (std::size_t r = 0; r < rows; ++r, bits += count, to += stride) {
      for (std::size_t n = 0; n < count; ++n) {
        to[n] = convert::widen<decltype(known)::value>(bits[n]);
        sum += to[n] - to[n];
      }
    }
  });
  return is_zero(sum);
}

std::uint8_t special_among(const double* values, std::size_t count) {
  std::uint8_t found = 0;
  for (std::size_t n = 0; n < count; ++n) {
    if (std::isnan(values[n])) found |= holds_nan;
    if (std::isinf(values[n])) found |= holds_infinity;
  }
  return found;
}

}  // namespace

bool Screen::prepare(const Problem& problem, const Contract& contract) {
  problem_ = &problem;
  contract_ = &contract;
  // Double says nothing about a kernel that computes in double itself.
  if (problem.format == Format::binary64) return false;
  scale_ = problem.shape.d_k == 0 && !problem.scale ? 1.0 : scale_value(problem);
  scale_size_ = std::fabs(scale_);
  const MaskSpec& mask = problem.mask;
  masked_ = mask.causal || mask.window || mask.key_range || mask.attend || mask.bias;
  b_ = head_ = -1;
  l_ = table_.of_case(contract.arithmetic, problem.shape);
  const Semantics& s = contract.semantics;
  const bool plain_cap =
      !(problem.softcap > 0) || s.cap_order == Semantics::CapOrder::cap_then_bias;
  const bool shifted = problem.alibi_slopes &&
                       contract.arithmetic.alibi_origin == Arithmetic::AlibiOrigin::first_key;
  return plain_cap && !shifted && std::isfinite(scale_);
}

void Screen::decode_head(std::int64_t b, std::int64_t head) {
  if (b == b_ && head == head_) return;
  const Problem& p = *problem_;
  const auto S = static_cast<std::size_t>(p.shape.S);
  const auto d_k = static_cast<std::size_t>(p.shape.d_k);
  const auto d_v = static_cast<std::size_t>(p.shape.d_v);
  width_ = (d_v + block - 1) / block * block;
  k_.resize(S * d_k);
  v_.assign(S * width_, 0);
  no_values_.assign(width_, 0);
  const std::size_t at = static_cast<std::size_t>(b * p.shape.H_kv + head) * S;
  const bool keys = decode_rows(p.k, at * d_k, S, d_k, k_.data(), d_k);
  const bool values = decode_rows(p.v, at * d_v, S, d_v, v_.data(), width_);
  head_special_ = !keys || !values;
  key_special_.assign(S, 0);
  value_special_.assign(S, 0);
  for (std::size_t j = 0; head_special_ && j < S; ++j) {
    key_special_[j] = special_among(k_.data() + j * d_k, d_k);
    value_special_[j] = special_among(v_.data() + j * width_, d_v);
  }
  b_ = b;
  head_ = head;
}

/// The score of a visible key, with our own error and with the least error that the contract
/// admits. docs/fuzzing.md 5.1, 5.2
void Screen::add_key(const Row& row, std::int64_t j, double slope, std::int64_t diagonal) {
  const Problem& p = *problem_;
  const auto at = static_cast<std::size_t>(j);
  const std::size_t d_k = q_.size();
  const double* k = k_.data() + at * d_k;
  double dot = 0, size = 0;
  for (std::size_t c = 0; c < d_k; ++c) {
    const double product = q_[c] * k[c];
    dot += product;
    size += std::fabs(product);
  }
  const bool cap = p.softcap > 0;
  const double x = scale_ * dot;
  const double A = scale_size_ * size;
  const double capped = cap ? p.softcap * std::tanh(x / p.softcap) : x;
  double s = capped, added = 0;
  if (p.mask.bias) {
    const double bias = bias_value(p, row.b, row.h, row.i, j);
    s += bias;
    added += std::fabs(bias);
  }
  if (p.alibi_slopes) {
    const double alibi = slope * std::fabs(static_cast<double>(diagonal - j));
    s -= alibi;
    added += std::fabs(alibi);
  }
  Key key{v_.data() + at * width_, s, 0, 0, 0, 0};
  key.error = u * ((static_cast<double>(d_k) + 8) * A + 16 * std::fabs(capped) + 4 * added +
                   4 * std::fabs(s));
  key.least = (cap ? 0 : l_.dot * A) + l_.round * std::fabs(s) + l_.exp;
  keys_.push_back(key);
}

bool Screen::scores(const Row& row) {
  const Problem& p = *problem_;
  const auto d_k = static_cast<std::size_t>(p.shape.d_k);
  q_.resize(d_k);
  special_ = 0;
  if (!decode_rows(p.q, p.q.index(row.b, row.h, row.i, 0), 1, d_k, q_.data(), d_k)) {
    special_ = special_among(q_.data(), d_k);
  }
  const bool selection = contract_->promises.selection;
  if (special_ != 0 && !selection) return false;
  const std::int64_t diagonal = p.alibi_slopes ? row.i + diagonal_offset(p, row.b) : 0;
  const double slope = p.alibi_slopes ? p.alibi_slopes->value(row.h, 0, 0, 0) : 0;
  keys_.clear();
  for (std::int64_t j = 0; j < p.shape.S; ++j) {
    const auto at = static_cast<std::size_t>(j);
    if (masked_ && !visible(p, row.b, row.h, row.i, j)) {
      const bool hidden = key_special_[at] != 0 || value_special_[at] != 0;
      if (hidden && !selection) return false;
      continue;
    }
    special_ |= key_special_[at];
    add_key(row, j, slope, diagonal);
  }
  return true;
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
  return told && std::fabs(*lse - logit) <= less * 4 * l_.unit * std::fabs(logit);
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
    keys_.push_back({no_values_.data(), sink, 0, 0, 0, 0});
  }
  sums_ = table_.of_row(contract_->arithmetic, problem_->shape,
                        static_cast<std::int64_t>(keys_.size()));
  if (!weights()) return false;
  note_scores(*problem_, m_);
  return outputs(o) && (lse == nullptr || log_sum(row, *lse));
}

bool Screen::every_row(const Problem& problem, const Contract& contract, const Seen& seen,
                       bool ask_oracles) {
  if (seen.status != RunStatus::ok || seen.faults) return false;
  const bool quick = prepare(problem, contract);
  worst_ = 0;
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
  note_error(problem, worst_);
  return true;
}

bool Screen::accepts_at_once(const Problem& problem, const Contract& contract, const Seen& seen) {
  return every_row(problem, contract, seen, false);
}

bool Screen::accepts(const Problem& problem, const Contract& contract, const Seen& seen) {
  return every_row(problem, contract, seen, true);
}

}  // namespace qkvet::fuzz
