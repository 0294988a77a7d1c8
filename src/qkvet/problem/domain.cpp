// Membership in a Domain: which limit a problem breaks, in words.
#include <algorithm>
#include <qkvet/problem/domain.hpp>
#include <string>

namespace qkvet {
namespace {

using Answer = std::optional<std::string>;

Answer check_range(const char* name, const Range& range, std::int64_t value) {
  if (range.min <= value && value <= range.max) return std::nullopt;
  return std::string(name) + " = " + std::to_string(value) + " is outside " +
         std::to_string(range.min) + ".." + std::to_string(range.max);
}

Answer check_allow(const char* name, Allow allow, bool present) {
  if (allow == Allow::never && present) return std::string(name) + " is present, but never allowed";
  if (allow == Allow::must && !present) return std::string(name) + " is absent, but required";
  return std::nullopt;
}

bool any_value(const Tensor& tensor, bool (*predicate)(double)) {
  return std::any_of(tensor.bits.begin(), tensor.bits.end(),
                     [&](std::uint64_t bits) { return predicate(decode(tensor.format, bits)); });
}

bool has_nonfinite(const Tensor& tensor) {
  return std::any_of(tensor.bits.begin(), tensor.bits.end(),
                     [&](std::uint64_t bits) { return !is_finite(tensor.format, bits); });
}

bool is_minus_infinity(double x) { return x < -info(Format::binary64).max; }

/// NaN or infinity as data: in q, k, v, or in the bias other than -inf.
bool nonfinite_data(const Problem& p) {
  if (has_nonfinite(p.q) || has_nonfinite(p.k) || has_nonfinite(p.v)) return true;
  return p.mask.bias &&
         any_value(*p.mask.bias, [](double x) { return !(x <= info(Format::binary64).max); });
}

bool diagonal_allowed(const Domain& domain, const Problem& p) {
  const auto allows = [&](Diagonal::Kind kind) {
    return std::find(domain.diagonals.begin(), domain.diagonals.end(), kind) !=
           domain.diagonals.end();
  };
  if (allows(p.mask.diagonal.kind)) return true;
  if (p.mask.diagonal.kind != Diagonal::Kind::fixed) return false;
  for (Diagonal::Kind kind : {Diagonal::Kind::top_left, Diagonal::Kind::bottom_right}) {
    if (!allows(kind)) continue;
    Problem other;
    other.shape = p.shape;
    other.mask.key_range = p.mask.key_range;
    other.mask.diagonal.kind = kind;
    bool same = true;
    for (std::int64_t b = 0; b < p.shape.B; ++b) {
      same = same && diagonal_offset(p, b) == diagonal_offset(other, b);
    }
    if (same) return true;
  }
  return false;
}

Answer check_shape(const Domain& domain, const Shape& s) {
  if (Answer a = check_range("B", domain.B, s.B)) return a;
  if (Answer a = check_range("H_q", domain.H_q, s.H_q)) return a;
  if (Answer a = check_range("H_kv", domain.H_kv, s.H_kv)) return a;
  if (Answer a = check_range("L", domain.L, s.L)) return a;
  if (Answer a = check_range("S", domain.S, s.S)) return a;
  if (Answer a = check_range("d_k", domain.d_k, s.d_k)) return a;
  if (Answer a = check_range("d_v", domain.d_v, s.d_v)) return a;
  if (Answer a = check_allow("unequal_heads", domain.unequal_heads, s.d_k != s.d_v)) return a;
  if (Answer a = check_allow("unequal_lengths", domain.unequal_lengths, s.L != s.S)) return a;
  if (Answer a = check_allow("grouped", domain.grouped, s.H_q != s.H_kv)) return a;
  if (s.work() > domain.work_budget) {
    return "work = " + std::to_string(s.work()) +
           " multiply-adds exceeds work_budget = " + std::to_string(domain.work_budget);
  }
  return std::nullopt;
}

Answer check_mask(const Domain& domain, const Problem& p) {
  const MaskSpec& mask = p.mask;
  if (Answer a = check_allow("causal", domain.causal, mask.causal)) return a;
  if (Answer a = check_allow("window", domain.window, mask.window.has_value())) return a;
  if (Answer a = check_allow("key_range", domain.key_range, mask.key_range.has_value())) return a;
  if (Answer a = check_allow("bool_mask", domain.bool_mask, mask.attend.has_value())) return a;
  if (Answer a = check_allow("bias", domain.bias, mask.bias.has_value())) return a;
  const bool infinite = mask.bias && any_value(*mask.bias, is_minus_infinity);
  if (Answer a = check_allow("bias_infinite", domain.bias_infinite, infinite)) return a;
  if (Answer a = check_allow("alibi", domain.alibi, p.alibi_slopes.has_value())) return a;
  if (uses_diagonal(p) && !diagonal_allowed(domain, p)) {
    return std::string("diagonal is of a kind that is not allowed");
  }
  return std::nullopt;
}

}  // namespace

std::vector<Format> drawn_formats() { return {Format::binary32, Format::binary64}; }

std::vector<Format> all_formats() {
  return {Format::binary32, Format::binary64, Format::bfloat16, Format::binary16};
}

std::vector<Diagonal::Kind> all_diagonals() {
  return {Diagonal::Kind::top_left, Diagonal::Kind::bottom_right, Diagonal::Kind::fixed};
}

std::optional<std::string> outside(const Domain& domain, const Problem& p) {
  if (std::find(domain.formats.begin(), domain.formats.end(), p.format) == domain.formats.end()) {
    return "format " + std::string(info(p.format).name) + " is not allowed";
  }
  if (Answer a = check_shape(domain, p.shape)) return a;
  if (Answer a = check_mask(domain, p)) return a;
  if (Answer a = check_allow("softcap", domain.softcap, p.softcap > 0)) return a;
  if (Answer a = check_allow("sinks", domain.sinks, p.sinks.has_value())) return a;
  if (Answer a = check_allow("explicit_scale", domain.explicit_scale, p.scale.has_value()))
    return a;
  const bool negative = p.scale && *p.scale <= 0;
  if (Answer a = check_allow("negative_scale", domain.negative_scale, negative)) return a;
  if (Answer a = check_allow("lse", domain.lse, p.want_lse)) return a;
  if (Answer a = check_allow("threads", domain.threads, p.call.threads != 0)) return a;
  if (Answer a = check_allow("splits", domain.splits, p.call.splits != 0)) return a;
  if (Answer a = check_allow("strided", domain.strided, p.layouts != Layouts{})) return a;
  if (domain.nonfinite != Allow::may) {
    if (Answer a = check_allow("nonfinite", domain.nonfinite, nonfinite_data(p))) return a;
  }
  if (domain.empty_rows != Allow::may) {
    if (Answer a = check_allow("empty_rows", domain.empty_rows, has_empty_row(p))) return a;
  }
  return std::nullopt;
}

}  // namespace qkvet
