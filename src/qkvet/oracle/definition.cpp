// The definition on balls: from the passes of attention.hpp to an enclosure. The only source of the
// library that includes Boost.
#include <algorithm>
#include <cmath>
#include <qkvet/num/ball.ipp>
#include <qkvet/oracle/attention.hpp>
#include <qkvet/oracle/definition.hpp>
#include <qkvet/oracle/outward.hpp>
#include <qkvet/oracle/tightness.hpp>

namespace qkvet {
namespace {

constexpr Interval minus_infinity{-outward::infinity, -outward::infinity};

// Spoils the last place of the named pass by the sabotage's factor: tests only.
struct Spoiler {
  const Sabotage* sabotage;

  template <class Number>
  void operator()(Pass pass, std::span<Number> values) const {
    if (!spoils(sabotage, pass) || values.empty()) return;
    Number& last = values.back();
    if (pass == Pass::shift) last += Number(std::ldexp(1.0, sabotage->exponent));
    if (pass != Pass::shift) last *= Number(sabotage->factor());
  }
};

// One row on one ball type.
template <class Number>
class Row {
 public:
  Row(const Problem& problem, const Semantics& semantics, const Query& at, const Sabotage* sabotage,
      RowEnclosure& row)
      : problem_(problem), semantics_(semantics), at_(at), watch_{sabotage}, row_(row) {}

  void enclose() {
    Number scale = scale_of<Number>(problem_);
    watch_(Pass::scale, std::span<Number>(&scale, 1));
    row_.trace.scale = scale.outward();
    score_keys(scale, false);
    score_keys(scale, true);  // Visible keys last: `scores_` keeps theirs.
    if (row_.row_class == RowClass::live) weigh();
  }

 private:
  // x, bias and score of the finite keys that are visible, or of those that are hidden.
  void score_keys(const Number& scale, bool visible_ones) {
    std::vector<std::int64_t> keys;
    for (const KeyTrace& key : row_.trace.keys) {
      if (key.finite && !key.sink && key.visible == visible_ones) keys.push_back(key.key);
    }
    const Spoiler watch{visible_ones ? watch_.sabotage : nullptr};
    std::vector<Number> x = dot_products<Number>(problem_, at_, keys);
    watch(Pass::dot, std::span<Number>(x));
    apply_scale<Number>(scale, x);
    std::vector<bool> infinite;
    const std::vector<Number> bias = finite_biases(keys, watch, infinite);
    keys_ = keys;
    scores_ = scores<Number>(problem_, semantics_, x, bias, watch);
    for (std::size_t n = 0; n < keys.size(); ++n) {
      KeyTrace& key = row_.trace.keys[static_cast<std::size_t>(keys[n])];
      key.x = x[n].outward();
      key.bias = infinite[n] ? minus_infinity : bias[n].outward();
      // cap tanh((x - inf) / cap) is -cap: a score for a visible key; else -inf.
      if (infinite[n]) scores_[n] = Number(-problem_.softcap);
      key.s = infinite[n] && !visible_ones && infinite_bias_hides(problem_, semantics_)
                  ? minus_infinity
                  : scores_[n].outward();
    }
  }

  // The biases with 0 in place of -inf, which balls cannot hold, and where those were.
  std::vector<Number> finite_biases(const std::vector<std::int64_t>& keys, const Spoiler& watch,
                                    std::vector<bool>& infinite) const {
    std::vector<Number> result = biases<Number>(problem_, at_, keys);
    for (std::size_t n = 0; n < keys.size(); ++n) {
      infinite.push_back(!std::isfinite(bias_value(problem_, at_.b, at_.h, at_.i, keys[n])));
      if (infinite.back()) result[n] = Number(0.0);
    }
    watch(Pass::bias, std::span<Number>(result));
    return result;
  }

  void weigh() {
    RowTrace& trace = row_.trace;
    const bool sink = trace.keys.back().sink;
    if (sink) {
      trace.lse_without_sink = softmax<Number>(scores_, watch_).lse.outward();
      std::vector<Number> logit{Number(trace.keys.back().s.lo)};
      watch_(Pass::sink, std::span<Number>(logit));
      scores_.push_back(logit[0]);
      trace.keys.back().x = trace.keys.back().s = logit[0].outward();
    }
    const Softmax<Number> result = softmax<Number>(scores_, watch_);
    trace.m = result.max.outward();
    trace.lse = result.lse.outward();
    if (!sink) trace.lse_without_sink = trace.lse;
    for (std::size_t n = 0; n < scores_.size(); ++n) {
      const auto entry =
          n < keys_.size() ? static_cast<std::size_t>(keys_[n]) : trace.keys.size() - 1;
      const Interval p = result.weights[n].outward();
      trace.keys[entry].weight = {std::max(p.lo, 0.0), std::min(p.hi, 1.0)};
    }
    std::vector<bool> skip;
    for (const ColumnFacts& column : row_.columns) {
      skip.push_back(column.visible_nan || column.visible_inf);
    }
    std::vector<Number> o = outputs<Number>(problem_, at_, keys_, result.weights, skip);
    watch_(Pass::value, std::span<Number>(o));
    for (std::size_t d = 0; d < o.size(); ++d) {
      if (!skip[d]) row_.o[d] = o[d].outward();
    }
  }

  const Problem& problem_;
  const Semantics& semantics_;
  const Query at_;
  const Spoiler watch_;
  RowEnclosure& row_;
  std::vector<std::int64_t> keys_;
  std::vector<Number> scores_;
};

// Upper bounds of the absolute sums, in double: they need no more (docs/oracle.md 2.1).
void add_absolute_sums(const Problem& problem, const HeadFacts& head, const Query& at,
                       RowEnclosure& row) {
  const std::int64_t d_k = problem.shape.d_k, kv_head = problem.shape.kv_head(at.h);
  const outward::SumError products(d_k), plain(d_k, 0);
  RowTrace& trace = row.trace;
  double query_sum = 0;
  bool special = false;
  for (std::int64_t c = 0; c < d_k; ++c) {
    const double q = std::fabs(problem.q.value(at.b, at.h, at.i, c));
    special |= !std::isfinite(q);
    query_sum += q;
    trace.q_max = std::fmax(trace.q_max, q);
  }
  trace.Q1 = special ? outward::infinity : plain.absolute(query_sum);
  if (special) trace.q_max = outward::infinity;
  for (KeyTrace& key : trace.keys) {
    if (key.sink) continue;
    double sum = 0, key_sum = 0;
    for (std::int64_t c = 0; c < d_k; ++c) {
      const double k = std::fabs(problem.k.value(at.b, kv_head, key.key, c));
      sum += std::fabs(problem.q.value(at.b, at.h, at.i, c)) * k;
      key_sum += k;
      key.k_max = std::fmax(key.k_max, k);
    }
    const auto entry = static_cast<std::size_t>(key.key);
    const bool key_special = head.key_nan[entry] != 0 || head.key_infinite[entry] != 0;
    key.A = special || key_special ? outward::infinity : products.absolute(sum);
    key.K1 = key_special ? outward::infinity : plain.absolute(key_sum);
    if (key_special) key.k_max = outward::infinity;
  }
}

}  // namespace

DefinitionRung::DefinitionRung(const Problem& problem, const Semantics& semantics, Digits digits,
                               const Sabotage* sabotage)
    : problem_(&problem), semantics_(semantics), digits_(digits), sabotage_(sabotage) {
  if (sabotage != nullptr) misread_ = misread(problem, *sabotage);
}

RowEnclosure DefinitionRung::row(std::int64_t b, std::int64_t h, std::int64_t i) {
  const Problem& problem = misread_ ? *misread_ : *problem_;
  const std::int64_t kv_head = problem.shape.kv_head(h);
  if (b != b_ || kv_head != kv_head_) {
    facts_ = HeadFacts(problem, b, kv_head);
    b_ = b;
    kv_head_ = kv_head;
  }
  const Query at{b, h, i};
  RowEnclosure facts = classify_row(problem, semantics_, facts_, b, h, i);
  add_absolute_sums(problem, facts_, at, facts);
  RowEnclosure row = facts;
  if (digits_ == Digits::coarse) {
    Row<Ball<6>>(problem, semantics_, at, sabotage_, row).enclose();
    return row;
  }
  Row<Ball<50>>(problem, semantics_, at, sabotage_, row).enclose();
  if (!not_tight(row, facts_.value_max)) return row;
  row = facts;
  Row<Ball<1300>>(problem, semantics_, at, sabotage_, row).enclose();
  return row;
}

}  // namespace qkvet
