// The model of docs/bounds.md 10, row by row. Letters as there; r(u) is the variance of one
// rounding.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <qkvet/bound/decoded_head.hpp>
#include <qkvet/bound/row_bound.hpp>
#include <qkvet/bound/spread.hpp>
#include <qkvet/oracle/oracle.hpp>

namespace qkvet {
namespace {

using bound::DecodedHead;
using bound::KeyBound;
using bound::Letters;
using bound::RowBound;

constexpr double lambda = 7;  // 2 exp(-lambda^2 / 2) = 4.6e-11, docs/bounds.md 10.2

double square(double x) { return x * x; }

/// The relative variance of one rounding, over a mantissa that is uniform in its logarithm:
/// u^2 / 3 * E[(2^e / x)^2].
double r(double u) { return 0.18 * u * u; }

/// An error that is declared as a bound is rarely met: a third of a uniform one of a quarter's
/// size.
double typical(double bound) { return square(bound / 4) / 3; }

/// Equal for weights that are rounded to the same number.
std::int64_t class_of(const Arithmetic& words, double weight) {
  if (words.narrow_weight == Arithmetic::Narrow::no) {
    return static_cast<std::int64_t>(encode(words.weight, weight));
  }
  const int bits = words.narrow_weight == Arithmetic::Narrow::e4m3 ? 4 : 3;
  int exponent = 0;
  const double fraction = std::frexp(weight * words.weight_scale, &exponent);
  // A fraction that rounds up to 1 is the 1/2 of the next exponent.
  return (std::int64_t{exponent} << (bits - 1)) + std::llrint(std::ldexp(fraction, bits));
}

/// Both variances of a sum, that of sigma and that of PROB.
struct Variance {
  double z = 0, prob = 0;

  void both(double u, double size_squared) {
    z += r(u) * size_squared;
    prob += u * u * size_squared;
  }
  void bounded(double error) {
    z += typical(error);
    prob += error * error;
  }
};

/// One visible key: its exponent's variance, and the part of its error that has no random sign.
struct Key {
  Variance v;
  double p = 0, s = 0, x = 0, linear = 0;
  const double* values = nullptr;  ///< its row of V, null for the sink
  std::int64_t weight_class = 0;   ///< equal for equal rounded weights
  double held = 0;
};

class RowModel {
 public:
  RowModel(const Problem& problem, const RowBound& bound, const RowEnclosure& row,
           const DecodedHead& decoded, const std::vector<double>& query)
      : problem_(problem), l_(bound.letters), bound_(bound), row_(row) {
    u_dot_ = info(l_.words.dot).u;
    u_S_ = l_.u_S.value();
    m_ = bound.m.mid();
    lse_ = bound.lse.mid();
    for (const KeyBound& key : bound.keys) keys_.push_back(key_of(key, decoded, query));
    lse_shared_ = shared_by_scores(decoded, query);
    sort_into_groups();
  }

  [[nodiscard]] Spread column(std::int64_t d) const;
  [[nodiscard]] double lse() const;
  [[nodiscard]] double common(const Spread* columns) const;
  [[nodiscard]] double lse_common() const;

 private:
  [[nodiscard]] double rounded_weights() const;
  [[nodiscard]] Key key_of(const KeyBound& bound, const DecodedHead& decoded,
                           const std::vector<double>& query) const;
  void dot_error(const KeyBound& bound, const double* key, const std::vector<double>& query,
                 double slope, Key& out) const;
  void sort_into_groups();
  [[nodiscard]] double shared_by_scores(const DecodedHead& decoded,
                                        const std::vector<double>& query) const;
  /// Calls `visit(begin, end)` for each run of keys of equal scores (or of equal rounded weights).
  template <class Same, class Visit>
  void for_groups(const Same& same, const Visit& visit) const {
    for (std::size_t from = 0, to = 0; from < keys_.size(); from = to) {
      for (to = from + 1; to < keys_.size() && same(keys_[from], keys_[to]); ++to) {
      }
      visit(from, to);
    }
  }
  [[nodiscard]] double value(const Key& key, std::int64_t d) const {
    return key.values == nullptr ? 0 : key.values[d];
  }

  const Problem& problem_;
  const Letters& l_;
  const RowBound& bound_;
  const RowEnclosure& row_;
  double u_dot_ = 0, u_S_ = 0, m_ = 0, lse_ = 0;
  double drift_ = 1;     ///< f: how far sums of equal numbers drift beyond a random walk
  double absorbed_ = 0;  ///< what small weights may lose together, of the sum
  double lse_shared_ = 0;  ///< variance of what many scores of the row have in common
  std::vector<Key> keys_;
};

/// docs/bounds.md 10.1, the product.
void RowModel::dot_error(const KeyBound& bound, const double* key, const std::vector<double>& query,
                         double slope, Key& out) const {
  double a = 0, absolute = 0, squares = 0;
  for (std::size_t c = 0; c < query.size(); ++c) {
    const double product = query[c] * key[c];
    a += product;
    absolute += std::fabs(product);
    squares += product * product;
  }
  const double factor = square(slope * row_.trace.scale.mid());
  const double largest = (absolute + std::fabs(a)) / 2;  // the larger one-signed partial sum
  out.v.z += factor * r(u_dot_) * (l_.n_qk * (a * a / 3 + squares / 6) + squares);
  out.v.prob += factor * u_dot_ * u_dot_ * (l_.n_qk * largest * largest + squares);
  const double u_q = l_.u_q.value();
  out.v.z += factor * r(u_q) * squares;
  const double lost = bound.parts[static_cast<std::size_t>(bound::Part::underflow)].value();
  out.v.z += square(lost) / 16;
  out.linear += std::sqrt(factor * squares) * u_q + lost;
}

Key RowModel::key_of(const KeyBound& bound, const DecodedHead& decoded,
                     const std::vector<double>& query) const {
  Key out;
  out.p = bound.p.mid();
  out.s = bound.s.mid();
  out.x = bound.s.mid();
  out.held = bound.held.value();
  const double s2 = square(out.s);
  double adds = l_.words.score_rounds, stores = 0;
  if (!bound.sink) {
    const KeyTrace& trace = row_.trace.keys[static_cast<std::size_t>(bound.key)];
    out.values = decoded.value(bound.key);
    out.x = trace.x.mid();
    const double cap = problem_.softcap, x2 = square(out.x);
    const double slope =
        cap > 0 ? 1 / square(std::cosh(std::min(std::fabs(out.x) / cap, 300.0))) : 1;
    dot_error(bound, decoded.key(bound.key), query, slope, out);
    out.v.both(u_S_, l_.words.scale_rounds * x2 * square(slope));
    if (cap > 0) {
      const double capped = cap * std::tanh(std::fabs(out.x) / cap);
      out.v.both(u_S_, 4 * x2 * square(slope) + square(capped));
      const double tanh = l_.eps_tanh.value() * (l_.words.tanh_absolute ? cap : capped);
      out.v.z += typical(tanh);
      out.linear += tanh;
    }
    const double bias = trace.bias.magnitude();
    if (bound_.facts.biases > 0 && std::isfinite(bias)) {
      adds += bound_.facts.biases;
      out.v.both(u_S_, bound_.facts.bias_rounds.value() * square(bias));
    }
    if (l_.stores) {
      stores = l_.words.score_stores + bound_.facts.biases + (cap > 0 ? l_.words.cap_stores : 0);
    }
    out.v.both(l_.u_st.value(), stores * std::max(s2, x2));
  }
  out.v.both(u_S_, adds * s2 + l_.words.argument_rounds * square(m_ - out.s));
  const double rescales = l_.rescales > 0 ? std::log(l_.n + 1) : 0;
  out.v.z += (1 + rescales) * typical(l_.eps_exp.value());
  out.v.prob += (1 + l_.levels) * square(l_.eps_exp.value());
  if (l_.merges) out.v.both(u_S_, l_.levels * l_.n_lse.value() * std::max(s2, square(lse_)));
  if (!l_.u_P.is_zero()) {
    out.weight_class = class_of(l_.words, std::exp(out.s - m_));
  }
  return out;
}

/// A q that is scaled and rounded moves all scores of its row at once, and scores that are stored low
/// and lie near each other are rounded alike. In an output that cancels, in an LSE it does not.
/// docs/bounds.md 10.3
double RowModel::shared_by_scores(const DecodedHead& decoded,
                                  const std::vector<double>& query) const {
  std::vector<double> mean(query.size(), 0);
  double sizes = 0;
  for (const KeyBound& key : bound_.keys) {
    if (key.sink) continue;
    const double* const values = decoded.key(key.key);
    const double p = key.p.mid();
    for (std::size_t c = 0; c < mean.size(); ++c) mean[c] += p * values[c];
    sizes += p * std::max(key.s.magnitude(),
                          row_.trace.keys[static_cast<std::size_t>(key.key)].x.magnitude());
  }
  double squares = 0;
  for (std::size_t c = 0; c < mean.size(); ++c) squares += square(query[c] * mean[c]);
  return square(row_.trace.scale.mid()) * r(l_.u_q.value()) * squares +
         (l_.stores ? r(l_.u_st.value()) * square(sizes) : 0);
}

/// Duplicate keys make equal errors: keys of equal scores are neighbours. Weights that differ by
/// less than the unit of their sum are rounded alike when they are added. docs/bounds.md 10.1, 10.2
void RowModel::sort_into_groups() {
  std::sort(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) { return a.s < b.s; });
  const double u = l_.u_acc.value();
  double squares = 0;
  for_groups([&](const Key& a, const Key& b) { return b.p - a.p <= 2 * u; },
             [&](std::size_t from, std::size_t to) {
               const double part = std::min(1.0, keys_[to - 1].p / u);
               squares += square(static_cast<double>(to - from) * part);
             });
  drift_ = std::max(1.0, std::min(squares / static_cast<double>(keys_.size()), l_.chain + 1));
  for (const Key& key : keys_) absorbed_ += key.p <= 2 * u ? std::min(key.p, u) : 0;
}

Spread RowModel::column(std::int64_t d) const {
  const double o = row_.o[static_cast<std::size_t>(d)].mid();
  double pv2 = 0, positive = 0, negative = 0, constant = 0, linear = 0, held = 0, absolute = 0;
  double flushed = 0;  // what is lost if every weight that may be flushed is
  Variance sum;
  for (const Key& key : keys_) {
    const double v = value(key, d), pv = key.p * v, c = key.p * (v - o);
    pv2 += pv * pv;
    (pv > 0 ? positive : negative) += std::fabs(pv);
    constant += c * key.x;
    linear += std::fabs(c) * key.linear;
    held += square(key.held * v);
    if (l_.words.flushes) flushed += key.held * v;
    absolute += std::fabs(v);
  }
  for_groups([](const Key& a, const Key& b) { return !(a.s < b.s); },
             [&](std::size_t from, std::size_t to) {
               double c = 0;
               for (std::size_t n = from; n < to; ++n) c += keys_[n].p * (value(keys_[n], d) - o);
               sum.z += square(c) * keys_[from].v.z;
               sum.prob += square(c) * keys_[from].v.prob;
             });
  const double u_P = l_.u_P.value();
  if (u_P > 0) {
    double centred = 0, whole = 0;
    for_groups([](const Key& a, const Key& b) { return a.weight_class == b.weight_class; },
               [&](std::size_t from, std::size_t to) {
                 double c = 0, w = 0;
                 for (std::size_t n = from; n < to; ++n) {
                   const double v = value(keys_[n], d);
                   c += keys_[n].p * (v - o);
                   w += keys_[n].p * v;
                   centred += square(keys_[n].p * (v - o));
                 }
                 centred += square(c);
                 whole += square(w);
               });
    sum.both(u_P, l_.rounds_outside_sum ? std::max(centred, whole) : centred);
    sum.z += l_.words.flushes ? held + square(flushed) : held / 3;
  }
  const double u = l_.u_acc.value(), chain = l_.chain, o2 = o * o;
  const double largest = std::max(positive, negative);
  const double rescales = l_.rescales > 0 ? std::log(l_.n + 1) : 0;
  const double walk = std::min((chain + 1) * drift_, square(chain + 1));
  sum.z += r(u) * (walk * (o2 / 3 + pv2 / 6) + pv2 + rescales * o2);
  sum.z += (r(u) * std::min(chain * drift_, square(chain)) / 3 + square(absorbed_)) * o2;
  sum.z += r(u) * (2 * o2 + (l_.may_norm_first ? pv2 : 0) + l_.renormal * o2);
  sum.z += typical(l_.eps_c.value() * constant);
  const double R = l_.rescales + l_.renormal;
  sum.prob +=
      u * u * (std::min((chain + R + 1) * drift_, square(chain + R + 1)) * square(largest) + pv2);
  sum.prob += u * u * std::min((chain + R) * drift_, square(chain + R)) * o2;
  if (l_.rescales > 0) {  // a rescale is shared by all keys before it
    double sizes = 0;
    for (const Key& key : keys_) sizes += std::fabs(key.p * (value(key, d) - o));
    sum.prob += l_.rescales * square(l_.eps_exp.value() * sizes) / 4;
  }
  if (l_.merges) {
    sum.z += l_.levels * (r(u_S_) * l_.n_lse.value() * square(lse_) * o2 +
                          r(l_.u_part.value()) * (o2 + pv2) + r(u) * 4 * (o2 + pv2));
    linear +=
        l_.levels * (bound_.ell.value() * std::fabs(o) +
                     (4 * u + l_.u_part.value()) * (positive + negative) + l_.eta_part.value());
  }
  linear += l_.eps_c.value() * std::fabs(constant) +
            (l_.rounds_outside_sum ? u_P * std::fabs(o) : 0) +
            l_.eps_div.value() * (std::fabs(o) + (l_.may_norm_first ? std::sqrt(pv2) : 0));
  const double lost = bound_.lost.value() * (absolute + l_.n * std::fabs(o)) +
                      (l_.n + 4) * l_.eta_acc.value() + l_.mu_v.value() + bound_.held.value() * std::fabs(o);
  Spread out;
  out.sigma = std::sqrt(sum.z + square(lost) / 16 + r(l_.u_out.value()) * o2 +
                        square(l_.eta_out.value()) / 3);
  const double before = lambda * std::sqrt(sum.prob) + linear + lost + std::sqrt(held) + std::fabs(flushed);
  out.prob = before + std::max(l_.u_out.value() * (std::fabs(o) + before), l_.eta_out.value());
  return out;
}

/// What the rounding of the weights moves in their sum: equal weights move alike.
double RowModel::rounded_weights() const {
  double sum = 0;
  for_groups([](const Key& a, const Key& b) { return a.weight_class == b.weight_class; },
             [&](std::size_t from, std::size_t to) {
               double p = 0;
               for (std::size_t n = from; n < to; ++n) p += keys_[n].p;
               sum += square(p);
             });
  return r(l_.u_P.value()) * sum;
}

/// docs/bounds.md 10.2: the sum of weights, the division, the LSE of a merge; and what the
/// exponents and rounded weights of the keys move along the output, for a key's error is one in all
/// columns.
double RowModel::common(const Spread* columns) const {
  const double u = l_.u_acc.value();
  double sum = r(u) * (std::min(l_.chain * drift_, square(l_.chain)) / 3 + 2 + l_.renormal);
  sum += square(absorbed_);
  if (l_.rounds_outside_sum) sum += rounded_weights();
  if (l_.merges) sum += l_.levels * r(u_S_) * l_.n_lse.value() * square(lse_);
  std::vector<double> along;  // of each column: its share in the regression on the output
  double sizes = 0;
  for (std::int64_t d = 0; d < problem_.shape.d_v; ++d) {
    const double o = row_.o[static_cast<std::size_t>(d)].mid(), sigma = columns[d].sigma;
    along.push_back(sigma > 0 ? o / square(sigma) : 0);
    sizes += along.back() * (sigma > 0 ? o : 0);
  }
  if (!(sizes > 0)) return std::sqrt(sum);
  const auto moved = [&](std::size_t from, std::size_t to, bool centred) {
    double total = 0;
    for (std::size_t n = from; n < to; ++n) {
      for (std::int64_t d = 0; d < problem_.shape.d_v; ++d) {
        const auto at = static_cast<std::size_t>(d);
        const double centre = centred ? row_.o[at].mid() : 0;
        total += keys_[n].p * (value(keys_[n], d) - centre) * along[at];
      }
    }
    return square(total / sizes);
  };
  for_groups(
      [](const Key& a, const Key& b) { return !(a.s < b.s); },
      [&](std::size_t from, std::size_t to) { sum += moved(from, to, true) * keys_[from].v.z; });
  if (!l_.u_P.is_zero()) {
    for_groups([](const Key& a, const Key& b) { return a.weight_class == b.weight_class; },
               [&](std::size_t from, std::size_t to) {
                 sum += moved(from, to, !l_.rounds_outside_sum) * r(l_.u_P.value());
               });
  }
  return std::sqrt(sum);
}

/// docs/bounds.md 10.3: the scale (or its root, twice) and ln 2 are rounded once for all rows.
double RowModel::lse_common() const {
  double mean = 0;
  for (const Key& key : keys_) mean += key.p * key.x;
  return l_.eps_c.value() / 2 * std::fabs(mean) + u_S_ / 2 * std::fabs(lse_);
}

/// docs/bounds.md 10.3
double RowModel::lse() const {
  const double u = l_.u_acc.value();
  double sum = lse_shared_, constant = 0;
  for_groups([](const Key& a, const Key& b) { return !(a.s < b.s); },
             [&](std::size_t from, std::size_t to) {
               double p = 0;
               for (std::size_t n = from; n < to; ++n) p += keys_[n].p;
               sum += square(p) * keys_[from].v.z;
             });
  for (const KeyBound& key : bound_.keys) constant += key.p.mid() * key.x_constant.value();
  // Where the shift is the maximum, the weight that counts most is 1 and not rounded; a lazy shift
  // has it rounded too, by up to u_P: the square of that, not its mean.
  const double lazy = l_.tau.is_zero() ? 1 : 1 / r(1);
  if (l_.rounds_in_sum) sum += lazy * rounded_weights();
  sum += r(u) * std::min(l_.chain * drift_, square(l_.chain)) / 3 + typical(constant);
  sum += square(absorbed_);
  // A sink that is added late leaves the shift at the maximum of the keys.
  double shift = m_;
  if (l_.late_sink && keys_.size() > 1) {
    shift = -std::numeric_limits<double>::infinity();
    for (const Key& key : keys_) shift = key.values != nullptr ? std::max(shift, key.s) : shift;
  }
  const double log_sum = std::fabs(lse_ - shift);
  sum += r(u_S_) * (4 * square(lse_) + square(shift) + square(log_sum)) +
         typical(l_.eps_log.value() * log_sum);
  if (l_.merges) sum += l_.levels * r(u_S_) * l_.n_lse.value() * square(lse_);
  return std::sqrt(sum + r(l_.u_lse.value()) * square(lse_) + square(l_.eta_lse.value()) / 3);
}

}  // namespace

bool has_model(const Arithmetic& a) {
  // One number that is far off moves all scores of all rows together: nothing random is left.
  constexpr double constant_near = 16;  // in u; docs/bounds.md 10.3
  return a.constant_error <= constant_near && !a.truncates && !a.two_scores &&
         a.unchanged_max == Arithmetic::UnchangedMax::exact && a.operands == Arithmetic::Operands::stored && a.adder_terms <= 1 &&
         a.merge != Arithmetic::Merge::sigmoid;
}

Spreads spreads(const Problem& problem, const Contract& contract) {
  const Shape& shape = problem.shape;
  Spreads out;
  out.o.resize(static_cast<std::size_t>(shape.outputs()));
  out.lse.resize(static_cast<std::size_t>(shape.rows()));
  out.common.resize(static_cast<std::size_t>(shape.rows()));
  out.level.resize(static_cast<std::size_t>(shape.rows()));
  out.lse_common.resize(static_cast<std::size_t>(shape.rows()));
  if (!has_model(contract.arithmetic)) return out;
  RowEncloser encloser(problem, contract.semantics, Rung::first);
  DecodedHead decoded(problem);
  std::vector<double> query(static_cast<std::size_t>(shape.d_k));
  for (std::int64_t b = 0; b < shape.B; ++b) {
    for (std::int64_t h = 0; h < shape.H_q; ++h) {
      for (std::int64_t i = 0; i < shape.L; ++i) {
        const RowEnclosure row = encloser.row(b, h, i);
        if (row.row_class != RowClass::live || row.visible_nan || row.visible_inf) continue;
        const RowBound bound = bound::row_bound(problem, contract, row, b, h, i);
        // Where scores may be off by much, errors are no longer sums of small ones: 10.3.
        if (bound.uncheckable || !(bound.excess_sum.value() <= 0.3)) continue;
        decoded.head(b, shape.kv_head(h));
        for (std::int64_t c = 0; c < shape.d_k; ++c) {
          query[static_cast<std::size_t>(c)] = problem.q.value(b, h, i, c);
        }
        const RowModel model(problem, bound, row, decoded, query);
        const auto at = static_cast<std::size_t>(shape.row(b, h, i));
        out.lse[at].sigma = model.lse();
        out.level[at] = bound.lse.mid();
        out.lse_common[at] = model.lse_common();
        for (std::int64_t d = 0; d < shape.d_v; ++d) {
          const ColumnFacts& facts = row.columns[static_cast<std::size_t>(d)];
          if (facts.visible_nan || facts.visible_inf || !decoded.is_random(d)) continue;
          out.o[at * static_cast<std::size_t>(shape.d_v) + static_cast<std::size_t>(d)] =
              model.column(d);
        }
        out.common[at] = model.common(out.o.data() + at * static_cast<std::size_t>(shape.d_v));
      }
    }
  }
  return out;
}

}  // namespace qkvet
