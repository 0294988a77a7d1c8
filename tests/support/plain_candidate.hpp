// A correct attention in plain double behind the Candidate interface, and the same with one mistake
// at a time: what tests of check/ and properties/ run instead of a real kernel.
#pragma once

#include <cmath>
#include <limits>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/contract/contract.hpp>
#include <qkvet/problem/problem.hpp>
#include <string>
#include <vector>

namespace qkvet::test {

enum class Bug {
  none,
  no_scale,             // scores are not scaled
  no_division,          // O is not divided by the sum
  hidden_leak,          // hidden keys have weight 1e-12 of the largest
  hidden_visible,       // hidden keys have weight exp(score) / 1000
  picks_first,          // of equal scores only the first counts
  first_twice,          // the first visible key counts twice
  last_column_repeats,  // column d_v - 1 repeats the one before it
  query_axis,           // weights are normalised over the queries
  empty_nan,            // empty rows give NaN
  one_halved,           // a row with one key adds 1 to its sum
  sum_rounded,          // the sum is rounded down to a power of two
  maximum_from_zero,    // the maximum starts at 0 and exp is that of f32
  nan_leaks,            // a NaN row poisons the next
  nan_hidden,           // a key of NaN score counts as hidden
  infinity_leaks,       // a row with a score of +inf poisons the next
  sum_times_2_40,       // values are summed at 2^40 times their size in the problem's format
  minus_zero_ignored,   // a key whose value begins with -0 counts as hidden
  flushes,              // subnormal values are read as 0
  zeros,                // O is 0
};

/// As builtin naive declares it: empty rows are 0, LSE -inf, natural base, sink included, a visible
/// NaN is due; and nothing is flushed.
inline Contract plain_contract(Format format = Format::binary32) {
  Contract contract = *builtin_contract(format == Format::binary64 ? "f64-any" : "f32-any");
  contract.semantics.empty_row = Semantics::EmptyRow::zero;
  contract.semantics.empty_lse = Semantics::EmptyLse::minus_inf;
  contract.semantics.lse_base = Semantics::LseBase::e;
  contract.semantics.lse_sink = Semantics::LseSink::included;
  contract.semantics.visible_nan = Semantics::VisibleNan::due;
  contract.arithmetic.flushes = false;
  return contract;
}

class PlainCandidate final : public Candidate {
 public:
  explicit PlainCandidate(Bug bug = Bug::none,
                          Semantics::CapOrder order = Semantics::CapOrder::cap_then_bias)
      : bug_(bug), order_(order) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const ContractSet& contracts() const override { return contracts_; }
  [[nodiscard]] const char* isolation() const override { return "L0"; }

  using Candidate::run;
  [[nodiscard]] Observation run(const Problem& p, const OutputFormats& formats) override {
    ++calls;
    const Shape& s = p.shape;
    Observation seen;
    seen.outputs.o = make_tensor(formats.o, {s.B, s.H_q, s.L, s.d_v});
    seen.outputs.lse_format = formats.lse;
    bool poisoned = false;
    for (std::int64_t b = 0; b < s.B; ++b)
      for (std::int64_t h = 0; h < s.H_q; ++h)
        for (std::int64_t i = 0; i < s.L; ++i) {
          const double lse = row(p, b, h, i, poisoned, seen.outputs.o);
          if (p.want_lse) seen.outputs.lse.push_back(encode(formats.lse, lse));
        }
    return seen;
  }

  int calls = 0;

 private:
  bool sees(const Problem& p, std::int64_t b, std::int64_t h, std::int64_t i,
            std::int64_t j) const {
    const bool capped = p.softcap > 0 && order_ == Semantics::CapOrder::bias_then_cap;
    return capped ? visible_without_bias(p, b, h, i, j) : visible(p, b, h, i, j);
  }

  double score(const Problem& p, std::int64_t b, std::int64_t h, std::int64_t i,
               std::int64_t j) const {
    double x = 0;
    for (std::int64_t c = 0; c < p.shape.d_k; ++c) {
      x += p.q.value(b, h, i, c) * p.k.value(b, p.shape.kv_head(h), j, c);
    }
    if (bug_ != Bug::no_scale) x *= scale_value(p);
    double bias = bias_value(p, b, h, i, j);
    if (p.alibi_slopes) {
      bias -= p.alibi_slopes->value(h, 0, 0, 0) *
              static_cast<double>(std::abs(i + diagonal_offset(p, b) - j));
    }
    if (!(p.softcap > 0)) return x + bias;
    const auto cap = [&p](double z) { return p.softcap * std::tanh(z / p.softcap); };
    return order_ == Semantics::CapOrder::cap_then_bias ? cap(x) + bias : cap(x + bias);
  }

  double row(const Problem& p, std::int64_t b, std::int64_t h, std::int64_t i, bool& poisoned,
             Tensor& o) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    const Shape& s = p.shape;
    const double sink = has_sink(p, h) ? p.sinks->value(h, 0, 0, 0) : -infinity;
    std::vector<double> scores, all;
    std::vector<char> shown;
    double top = sink, n = 0;
    for (std::int64_t j = 0; j < s.S; ++j) {
      bool seen = sees(p, b, h, i, j);
      all.push_back(score(p, b, h, i, j));
      if (bug_ == Bug::nan_hidden && std::isnan(all.back())) seen = false;
      if (bug_ == Bug::minus_zero_ignored && begins_with_minus_zero(p, b, h, j)) seen = false;
      scores.push_back(seen ? all.back() : -infinity);
      shown.push_back(seen ? 1 : 0);
      n += seen ? 1 : 0;
      if (!(scores.back() <= top)) top = scores.back();
    }
    if (bug_ == Bug::maximum_from_zero && top < 0) top = 0;
    double sum = has_sink(p, h) ? weight(sink, top) : 0;
    std::vector<double> w;
    bool first = true;
    for (std::size_t j = 0; j < scores.size(); ++j) {
      const bool seen = shown[j] != 0;
      double x = seen ? weight(scores[j], top) : 0;
      if (!seen && bug_ == Bug::hidden_leak && n > 0) x = 1e-12;
      if (!seen && bug_ == Bug::hidden_visible && n > 0) x = std::exp(all[j]) / 1000;
      if (seen && bug_ == Bug::first_twice && first) x *= 2;
      if (bug_ == Bug::picks_first && x >= 1 && !first) x = 0;
      if (seen && x >= 1) first = false;
      if (seen && bug_ == Bug::first_twice) first = false;
      w.push_back(x);
      sum += x;
    }
    if (bug_ == Bug::one_halved && n <= 1) sum += n;
    if (bug_ == Bug::sum_rounded && sum > 0) sum = std::exp2(std::floor(std::log2(sum)));
    if (bug_ == Bug::query_axis && n > 0) sum = column_sum(p, b, h, w);
    const bool empty = !(n > 0);
    for (std::int64_t d = 0; d < s.d_v; ++d) {
      const std::int64_t column =
          bug_ == Bug::last_column_repeats && d == s.d_v - 1 && d > 0 ? d - 1 : d;
      double x = 0;
      for (std::int64_t j = 0; j < s.S; ++j) {
        const double weight_j = w[static_cast<std::size_t>(j)];
        if (!(weight_j >= 0 && weight_j <= 0)) x += weight_j * value(p, b, h, j, column);
      }
      if (bug_ == Bug::sum_times_2_40) x = decode(p.format, encode(p.format, x * 0x1p40)) * 0x1p-40;
      if (!empty && bug_ != Bug::no_division) x /= sum;
      if (empty) x = bug_ == Bug::empty_nan ? std::numeric_limits<double>::quiet_NaN() : 0;
      if (poisoned) x = std::numeric_limits<double>::quiet_NaN();
      if (bug_ == Bug::zeros) x = 0;
      o.set(b, h, i, d, x);
    }
    poisoned = (bug_ == Bug::nan_leaks && std::isnan(sum)) ||
               (bug_ == Bug::infinity_leaks && std::isinf(top) && top > 0);
    if (empty && !has_sink(p, h)) return -infinity;
    return top + std::log(sum);
  }

  /// exp(s - top); with a wrong maximum 0 where f32 has no number left.
  double weight(double s, double top) const {
    const double x = s - top;
    return bug_ == Bug::maximum_from_zero && x < -104 ? 0 : std::exp(x);
  }

  double value(const Problem& p, std::int64_t b, std::int64_t h, std::int64_t j,
               std::int64_t d) const {
    const double x = p.v.value(b, p.shape.kv_head(h), j, d);
    return bug_ == Bug::flushes && std::fabs(x) < info(p.format).mu ? 0 : x;
  }

  static bool begins_with_minus_zero(const Problem& p, std::int64_t b, std::int64_t h,
                                     std::int64_t j) {
    const double x = p.v.value(b, p.shape.kv_head(h), j, 0);
    return std::fabs(x) <= 0 && std::signbit(x);
  }

  /// A sum that depends on the number of queries, as one over the wrong axis does.
  static double column_sum(const Problem& p, std::int64_t, std::int64_t,
                           const std::vector<double>& w) {
    double sum = 0;
    for (const double x : w) sum += x;
    return sum * static_cast<double>(p.shape.L) / static_cast<double>(p.shape.S);
  }

  Bug bug_;
  Semantics::CapOrder order_;
  std::string name_ = "plain";
  ContractSet contracts_;
};

}  // namespace qkvet::test
