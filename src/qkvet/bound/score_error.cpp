// Step 1: how far a computed score can lie from the exact one.  docs/bounds.md 3
#include <algorithm>
#include <cmath>
#include <qkvet/bound/row_bound.hpp>

namespace qkvet::bound {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Interval sum(const Interval& a, const Interval& b) {
  return {add_down(a.lo, b.lo), add_up(a.hi, b.hi)};
}

bool is_bounded(const Interval& x) { return x.magnitude() <= std::numeric_limits<double>::max(); }

/// sum of p * x, p in [0, 1]: each end takes the end of p that moves it outward.
void add_product(const Interval& p, const Interval& x, Interval& total) {
  const double lo = x.lo < 0 ? p.hi * x.lo : p.lo * x.lo;
  const double hi = x.hi > 0 ? p.hi * x.hi : p.lo * x.hi;
  total = sum(total, {add_down(lo, 0), add_up(hi, 0)});
}

/// |x - mean|, the far ends; infinity where an end is not finite.
Mag distance(const Interval& x, const Interval& mean) {
  if (!is_bounded(x) || !is_bounded(mean)) return Mag::infinity();
  return {std::max({0.0, add_up(x.hi, -mean.lo), add_up(mean.hi, -x.lo)})};
}

/// What is lost, relatively, when a format holds a constant that is subnormal in it.
/// docs/bounds.md 3.6
Mag constant_lost(const Letters& l, double size) {
  if (!(size > 0) || size >= info(l.words.score).mu) return {};
  return min(divide(l.eta_S, size), Mag{1.0});
}

bool wider(Format a, Format b) { return info(a).precision > info(b).precision; }

Mag bias_roundings(const Problem& problem, const Arithmetic& words) {
  double rounds = words.bias_rounds;
  if (problem.mask.bias && wider(problem.mask.bias->format, words.score)) rounds += 1;
  if (problem.alibi_slopes) {
    rounds += 2;  // the distance and its product with the slope
    if (wider(problem.alibi_slopes->format, words.score)) rounds += 1;
  }
  if (problem.sinks && wider(problem.sinks->format, words.score)) rounds = std::max(rounds, 1.0);
  return {rounds};
}

}  // namespace

RowFacts row_facts(const Problem& problem, const Contract& contract, const RowTrace& trace,
                   const Letters& letters, std::int64_t b, std::int64_t h, std::int64_t i) {
  RowFacts f;
  f.scale = {trace.scale.magnitude()};
  f.scale_root = mag_sqrt(f.scale);
  f.scale_low = trace.scale.mignitude();
  f.scale_lost = constant_lost(letters, trace.scale.mignitude());
  f.Q1 = {trace.Q1};
  f.q_max = {trace.q_max};
  f.cap = problem.softcap;
  f.cap_last = f.cap > 0 && contract.semantics.cap_order == Semantics::CapOrder::bias_then_cap;
  if (f.cap > 0) {
    const Format score = letters.words.score;
    const double held = decode(score, encode(score, f.cap));
    f.cap_rounds = {std::fabs(held - f.cap) > 0 ? 1.0 : 0.0};
    f.cap_lost = max(constant_lost(letters, detail::below(1 / f.cap)),
                     constant_lost(letters, detail::below(trace.scale.mignitude() / f.cap)));
  }
  f.biases = (problem.mask.bias ? 1 : 0) + (problem.alibi_slopes ? 1 : 0);
  f.bias_rounds = bias_roundings(problem, letters.words);
  if (letters.stores) {
    const Format store = letters.words.score_store;
    f.bias_low = problem.mask.bias && wider(problem.mask.bias->format, store);
    f.slope_low = problem.alibi_slopes && wider(problem.alibi_slopes->format, store);
    f.sink_low = problem.sinks && wider(problem.sinks->format, store);
  }
  if (problem.alibi_slopes && letters.words.alibi_origin == Arithmetic::AlibiOrigin::first_key) {
    f.origin = std::fabs(problem.alibi_slopes->value(h, 0, 0, 0)) *
               std::fabs(static_cast<double>(i + diagonal_offset(problem, b)));
    f.origin = detail::above(f.origin);
  }
  f.centred = trace.keys.empty() || !trace.keys.back().sink;
  f.mean_x = f.mean_s = {0, 0};
  for (const KeyTrace& key : trace.keys) {
    if (!key.visible || !f.centred) continue;
    add_product(key.weight, key.x, f.mean_x);
    if (f.biases > 0 || f.cap > 0) add_product(key.weight, key.s, f.mean_s);
  }
  return f;
}

namespace {

/// One score on its way: errors so far, by part.
class ScoreError {
 public:
  ScoreError(const Letters& l, const RowFacts& f, const KeyTrace& key, const BiasParts& biases,
             KeyBound& out)
      : l_(l),
        f_(f),
        key_(key),
        out_(out),
        x_{key.x.magnitude()},
        s_{key.s.magnitude()},
        bias_{biases.bias},
        alibi_{biases.alibi},
        b_(biases.bias + biases.alibi),
        flushed_(biases.flushed),
        distance_(biases.distance) {
    // With two biases one add sees a partial sum: |s| + |bias| + |ALiBi| bounds each.
    spread_ = (biases.bias.is_zero() || biases.alibi.is_zero() ? Mag{} : b_) + Mag{f.origin};
  }

  void run() {
    if (key_.sink) return sink();
    product();
    if (f_.cap_last) biases();
    if (f_.cap > 0) softcap();
    if (!f_.cap_last) biases();
    const Mag rounds = Mag{l_.words.score_rounds} * l_.u_S;
    add(Part::add, gamma(rounds) * (s_ + spread_ + total_));
    constant();
    if (l_.stores) stays_in_range(key_.s, out_.delta, 0);
  }

 private:
  Mag& part(Part p) { return at(out_.parts, p); }
  void add(Part p, Mag error) {
    part(p) += error;
    total_ += error;
  }

  /// A sink is held, perhaps multiplied by log2 e, and shifted.  docs/bounds.md 3.7
  void sink() {
    const Mag rounds = Mag{l_.words.score_rounds} + f_.bias_rounds;
    part(Part::add) = gamma(rounds * l_.u_S) * s_;
    if (f_.sink_low) part(Part::store) = l_.u_st * s_ + l_.eta_st;
    part(Part::underflow) = flushed_;
    out_.delta = part(Part::add) + part(Part::store) + flushed_;
    if (f_.sink_low) stays_in_range(key_.s, out_.delta, 0);
  }

  /// docs/bounds.md 3.1 and 3.2
  void product() {
    const Mag A{key_.A}, K1{key_.K1};
    // No partial sum exceeds the sum of the products of one sign, (A + |a|) / 2.
    const Mag partial = Mag{0.5} * (f_.scale * A + x_);
    add(Part::dot, min(f_.scale * l_.dot_error * A,
                       f_.scale * l_.dot_leaf * A + l_.dot_adds * partial));
    const Mag largest = max(max(f_.scale, f_.scale_root), Mag{1.0});
    Mag lost = largest * Mag{2 * l_.d_k} * l_.eta_qk;
    if (l_.scales_q && !l_.scales_k) lost += l_.eta_q * K1;
    if (l_.scales_k && !l_.scales_q) lost += l_.eta_q * f_.Q1;
    if (l_.scales_k && l_.scales_q) lost += l_.eta_q * max(K1, f_.Q1);
    if (l_.scales_both) {
      lost += f_.scale_root * l_.eta_q * (K1 + f_.Q1) + Mag{l_.d_k} * l_.eta_q * l_.eta_q;
    }
    // A kernel that folds 1/cap into q or k as well loses this in units of the cap.
    if (l_.scales_q || l_.scales_k || l_.scales_both) lost *= max(Mag{1.0}, Mag{f_.cap});
    add(Part::underflow, lost + f_.scale * l_.mu_in * (K1 + f_.Q1) + l_.eta_S);
    add(Part::scale,
        gamma(Mag{l_.words.scale_rounds} * l_.u_S) * (x_ + total_) + x_ * f_.scale_lost);
    if (!l_.stores) return;
    // docs/bounds.md 3.5: without the scale a score is stored in units of sigma.
    store(l_.words.score_stores, x_, max(Mag{1.0}, f_.scale));
    stays_in_range(key_.x, total_, 1);
    using Side = Arithmetic::ScaleSide;
    if (l_.words.scale_side == Side::after || l_.words.scale_side == Side::any) raw_product();
  }

  /// docs/bounds.md 3.5: `count` stores of a value of that size, `unit` times as large as stored.
  void store(int count, Mag size, Mag unit) {
    const Mag n{static_cast<double>(count)};
    add(Part::store, gamma(n * l_.u_st) * (size + total_) + n * l_.eta_st * unit);
  }

  /// docs/bounds.md 6.3: a stored score may leave the range of its format. `unit`: what 1 there is
  /// in units of the score; 0 after a softcap. Inside of one an infinity is only saturation.
  void stays_in_range(const Interval& x, Mag error, double unit) {
    const bool above = !(add_up(x.hi, error.value()) <= l_.max_st);
    const bool below = !(add_down(x.lo, -error.value()) >= -l_.max_st);
    if (f_.cap > 0 && unit > 0) {
      const double from = down_subtract(l_.max_st, error);
      if (above || below) saturates_ = std::min(saturates_, down_multiply(from, unit));
      return;
    }
    out_.overflows = out_.overflows || above;
    out_.vanishes = out_.vanishes || below;
  }

  /// The product before the scale: at most A, and x / sigma where that is known.
  void raw_product() {
    const Mag most{key_.A};
    const Mag error = l_.dot_error * most + gamma(Mag{1.0 * l_.words.score_stores} * l_.u_st) * most;
    const auto end = [&](double x) { return min(most, divide(Mag{std::fabs(x)}, f_.scale_low)); };
    const double hi = key_.x.hi > 0 ? end(key_.x.hi).value() : 0;
    const double lo = key_.x.lo < 0 ? -end(key_.x.lo).value() : 0;
    // With a scale of 0 the sign of the product is unknown, and 0 times infinity is no score.
    if (f_.scale_low > 0) return stays_in_range({lo, hi}, error, f_.scale_low);
    if (!((most + error).value() <= l_.max_st)) out_.overflows = true;
  }

  /// docs/bounds.md 3.3
  void biases() {
    if (f_.biases == 0) return;
    const Mag size = f_.cap_last ? biased_size() : s_;
    const Mag adds = gamma(Mag{static_cast<double>(f_.biases)} * l_.u_S);
    add(Part::underflow, flushed_);
    add(Part::add,
        gamma(f_.bias_rounds * l_.u_S) * (b_ + Mag{f_.origin}) + adds * (size + spread_ + total_));
    if (!l_.stores) return;
    // A wider bias is rounded to the stored format first, and so is each step of ALiBi: wider slopes,
    // distances that the format does not hold, the product.
    if (f_.bias_low) store(1, bias_, Mag{1.0});
    if (!alibi_.is_zero()) {
      const Mag far = alibi_ + Mag{f_.origin};
      const double held = std::ldexp(1.0, info(l_.words.score_store).precision);
      if (f_.slope_low) store(1, far, distance_);
      if (!(distance_.value() <= held)) store(1, far, Mag{});
      store(1, far, Mag{1.0});
    }
    store(f_.biases, size + spread_, Mag{1.0});
  }

  [[nodiscard]] Interval before_cap() const {
    return f_.cap_last && f_.biases > 0 ? sum(key_.x, key_.bias) : key_.x;
  }
  [[nodiscard]] Mag biased_size() const {
    const double size = before_cap().magnitude();
    return size <= std::numeric_limits<double>::max() ? Mag{size} : Mag::infinity();
  }

  /// docs/bounds.md 3.4
  void softcap() {
    const Interval before = before_cap();
    const Mag cap{f_.cap};
    const bool saturated = before.hi < -std::numeric_limits<double>::max();  // a bias of -inf
    Mag slope;
    if (l_.stores && !saturated && f_.cap_last) stays_in_range(before, total_, 1);
    if (!saturated) {
      const Mag size{before.magnitude()};
      add(Part::cap, gamma((Mag{2.0} + f_.cap_rounds) * l_.u_S) * (size + total_) +
                         size * f_.cap_lost + max(l_.eta_qk, l_.eta_S) * cap);
      if (l_.stores && l_.words.cap_stores > 2) store(l_.words.cap_stores - 2, size, cap);
      slope = {1.0};
      if (size.is_finite() && total_.is_finite()) {
        const double low = down_subtract(before.mignitude(), total_);
        slope = mag_sech_squared(detail::below(low / f_.cap));
      }
    }
    shrink(slope, cap);
    const Mag size = min(cap, Mag{before.magnitude()});
    const Mag relative = gamma((Mag{1.0} + f_.cap_rounds) * l_.u_S);
    add(Part::cap, l_.eps_tanh * (l_.words.tanh_absolute ? cap : size + total_) +
                       relative * (size + total_) + l_.eta_S * cap);
    if (l_.stores) store(std::min(l_.words.cap_stores, 2), size, max(Mag{1.0}, cap));
    // |cap - cap tanh(y / cap)| <= 2 cap e^(-2 y / cap), where a stored score became infinite.
    if (saturates_ < infinity) {
      add(Part::cap, Mag{2.0} * cap * mag_exp(-2 * detail::below(saturates_ / f_.cap)));
    }
    slope_ = slope;
  }

  /// The errors before the cap pass through its slope, and never exceed its range.
  void shrink(Mag slope, Mag cap) {
    const bool wide = (Mag{2.0} * cap).value() < (slope * total_).value() || !total_.is_finite();
    for (Mag& error : out_.parts) error = wide ? Mag{} : slope * error;
    total_ = wide ? Mag{} : slope * total_;
    if (wide) add(Part::cap, slope.is_zero() ? Mag{} : Mag{2.0} * cap);
  }

  /// docs/bounds.md 3.6: one relative error of a constant, common to all scores.
  void constant() {
    const bool both = f_.biases > 0 || f_.cap > 0;
    const Mag x_part = slope_ * x_;
    const Mag uncentred = both ? max(x_part, s_) : x_part;
    out_.x_constant = l_.eps_c * (uncentred + total_);
    Mag centred = uncentred;
    if (f_.centred) {
      const Mag x_centred = f_.cap > 0 ? x_part : distance(key_.x, f_.mean_x);
      centred = both ? max(x_centred, distance(key_.s, f_.mean_s)) : x_centred;
    }
    add(Part::constant, l_.eps_c * (centred + total_));
    out_.delta = {};
    for (const Mag& error : out_.parts) out_.delta += error;
  }

  const Letters& l_;
  const RowFacts& f_;
  const KeyTrace& key_;
  KeyBound& out_;
  Mag x_, s_, bias_, alibi_, b_, flushed_, distance_, spread_, total_;
  Mag slope_{1.0};
  double saturates_ = infinity;  ///< the least |score| before the cap that may be stored as infinity
};

}  // namespace

void score_error(const Letters& letters, const RowFacts& facts, const KeyTrace& key,
                 const BiasParts& biases, KeyBound& out) {
  out.key = key.key;
  out.sink = key.sink;
  out.s = key.s;
  out.p = key.weight;
  out.parts = {};
  ScoreError(letters, facts, key, biases, out).run();
}

}  // namespace qkvet::bound
