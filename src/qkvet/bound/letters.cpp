// Words to letters: docs/bounds.md 1.
#include <algorithm>
#include <cmath>
#include <qkvet/bound/letters.hpp>

namespace qkvet::bound {
namespace {

/// Unit roundoff; a truncating adder has twice of it.  docs/bounds.md 1.3
Mag unit(const Arithmetic& a, Format format) {
  return {info(format).u * (a.truncates ? 2.0 : 1.0)};
}

bool flushes(const Arithmetic& a, Format format) {
  return a.flushes && (format != Format::binary16 || a.f16_flushes);
}

/// What one operation can lose to underflow.  docs/bounds.md 1.4
Mag underflow(const Arithmetic& a, Format format) {
  if (flushes(a, format)) return {info(format).mu};
  return Mag{info(format).eta} * Mag{a.truncates ? 1.0 : 0.5};
}

/// What DAZ takes from an input: inputs are of one of the formats that the contract names.
double input_lost(const Arithmetic& a) {
  double most = 0;
  for (const Format format : {a.dot, a.scaled, a.weight, a.out}) {
    if (flushes(a, format)) most = std::max(most, info(format).mu);
  }
  return most;
}

bool narrower(Format a, Format b) { return info(a).precision < info(b).precision; }

/// Values below this are stored as finite numbers: rounding to nearest reaches the largest number
/// from half a unit above.  docs/bounds.md 5.5
double border(const Arithmetic& a, Format format, Format from) {
  const FormatInfo& f = info(format);
  if (!narrower(format, from) || a.truncates) return detail::above(f.max);
  return f.max + std::ldexp(f.u, f.e_max);  // exact
}

/// What an operand of a product loses, relatively and near zero.  docs/bounds.md 1.5
struct Loss {
  Mag u, eta;
};
Loss operand_loss(const Arithmetic& a) {
  switch (a.operands) {
    case Arithmetic::Operands::stored:
      return {};
    case Arithmetic::Operands::tf32:
      return {{0x1p-11}, {0x1p-137}};
    case Arithmetic::Operands::tf32_truncated:
      break;
  }
  return {{0x1p-10}, {0x1p-136}};
}

/// Roundings of a sum of `n` products, in units of u of an ordinary adder.  docs/bounds.md 1.6
double roundings_of(const Arithmetic& a, double n) {
  return a.adder_terms > 1 ? 2 * (n + 3 * std::ceil(n / a.adder_terms)) : n;
}

void scale_letters(const Arithmetic& a, Letters& l) {
  using Side = Arithmetic::ScaleSide;
  const Side side = a.scale_side;
  l.scales_q = side == Side::q || side == Side::any;
  l.scales_k = side == Side::k || side == Side::any;
  l.scales_both = side == Side::sqrt_both || side == Side::any;
  const double rounded = l.scales_both ? 2 : side == Side::after ? 0 : 1;
  Mag& u_q = l.u_q;
  u_q = gamma(Mag{rounded} * unit(a, a.scaled));
  // A product is rounded where it is computed, then where it is held.
  if (narrower(a.scaled, a.score)) u_q = compound(u_q, gamma(Mag{rounded} * l.u_S));
  double& n_qk = l.n_qk;
  n_qk = l.d_k;
  if (a.dot_lanes > 0) {
    const double lanes = a.dot_lanes;
    n_qk = std::min(n_qk, std::ceil(l.d_k / lanes) + std::ceil(std::log2(lanes)) + 1);
  }
  const Loss operand = operand_loss(a);
  l.u_op = operand.u;
  l.dot_error = compound(gamma(Mag{roundings_of(a, n_qk)} * unit(a, a.dot)), u_q);
  const Mag leaf = compound(u_q, compound(operand.u, operand.u));
  l.dot_error = compound(l.dot_error, compound(operand.u, operand.u));
  // Each product is rounded once; d_k - 1 adds act on partial sums.
  const Mag once = divide(gamma(Mag{l.d_k} * unit(a, a.dot)), std::max(1.0, l.d_k));
  l.dot_leaf = compound(leaf, once);
  l.dot_adds = a.adder_terms > 1 ? Mag::infinity()
                                 : Mag{std::max(0.0, l.d_k - 1)} * once * (Mag{1.0} + leaf);
  l.eta_qk = underflow(a, a.dot) + operand.eta * operand.eta;
  l.eta_q = underflow(a, a.scaled) + operand.eta;
  l.mu_in = max(Mag{input_lost(a)}, operand.eta);
  if (l.mu_in.value() > info(a.accumulator).mu) l.mu_v = l.mu_in;
  l.mu_v = max(l.mu_v, operand.eta);
  l.max_q = side == Side::after ? info(a.dot).max : info(a.scaled).max;
}

/// An 8-bit format as weights see it: what is at least `border` may not be stored as a number.
struct NarrowFormat {
  double u, eta, mu, border;
};
constexpr NarrowFormat narrow_format(Arithmetic::Narrow format) {
  if (format == Arithmetic::Narrow::e4m3) return {0x1p-4, 0x1p-9, 0x1p-6, 464};
  return {0x1p-3, 0x1p-16, 0x1p-14, 61440};
}

/// docs/bounds.md 4.7: a weight times c is rounded to 8 bits, then enters the product.
void narrow_letters(const Arithmetic& a, Letters& l) {
  if (a.narrow_weight == Arithmetic::Narrow::no) return;
  const NarrowFormat f = narrow_format(a.narrow_weight);
  const double c = a.weight_scale;
  const Mag rounded{f.u * (a.truncates ? 2.0 : 1.0)};
  l.u_P = compound(l.u_P, compound(rounded, gamma(Mag{2.0} * l.u_S)));
  l.w_P += divide(Mag{f.eta * (a.truncates ? 1.0 : 0.5)}, c);
  l.least_P = std::max(l.least_P, detail::above(f.mu / c * (1 + 0x1p-8)));
  l.log_max_P = std::min(l.log_max_P, detail::below(std::log(f.border / c), 16));
  l.scale_P = Mag{c};
  l.descales = 2;
}

void weight_letters(const Arithmetic& a, Letters& l) {
  using Choice = Arithmetic::Choice;
  l.eps_exp = Mag{a.exp_error} * l.u_S;
  l.log_exp = mag_log1p(gamma(l.eps_exp));  // -ln(1 - e) = ln(1 + e / (1 - e))
  l.omega = a.exp_flushes || a.flushes ? Mag{2.0} * Mag{info(a.score).mu} : Mag{info(a.score).eta};
  l.tau = {a.lazy_rescale};
  l.fused = a.shift != Arithmetic::Shift::exact;
  l.late_sink = a.late_sink != Choice::no;
  const Loss operand = operand_loss(a);
  const bool narrow = a.narrow_weight != Arithmetic::Narrow::no;
  const bool held = a.rounds_weight != Choice::no;
  const bool rounds = held || narrow || a.operands != Arithmetic::Operands::stored;
  l.may_norm_first = a.norm_first != Choice::no;
  l.u_P = held ? unit(a, a.weight) : Mag{};
  if (rounds || l.may_norm_first) l.w_P = max(underflow(a, a.weight), Mag{info(a.weight).eta});
  if (rounds || l.may_norm_first) l.least_P = info(a.weight).mu;
  l.log_max_P = detail::below(mag_log(info(a.weight).max).value(), 8);
  narrow_letters(a, l);
  l.u_P = compound(l.u_P, operand.u);
  l.w_P += operand.eta;
  l.rounds_in_sum = rounds && a.sum_of_rounded != Choice::no;
  l.rounds_outside_sum = rounds && a.sum_of_rounded != Choice::yes;
}

void sum_letters(const Arithmetic& a, const Shape& shape, Letters& l) {
  l.u_acc = unit(a, a.accumulator);
  l.eta_acc = underflow(a, a.accumulator);
  l.max_acc = info(a.accumulator).max;
  const double S = static_cast<double>(shape.S);
  const double tiles = a.tile > 0 ? std::ceil(S / a.tile) : l.n;
  l.chain = roundings_of(a, a.tile > 0 ? std::min(l.n + 1, a.tile + tiles + 1) : l.n);
  l.rescales = std::min(l.n, a.rescales >= 0 ? a.rescales : tiles);
  if (a.unchanged_max == Arithmetic::UnchangedMax::rounded) {
    // Tiles in which no key is visible, and a sink, are multiplied as well.  docs/bounds.md 4.2
    const double all = a.tile > 0 ? tiles : std::max(l.n, S);
    l.drifts = l.rescales = a.rescales >= 0 ? a.rescales : all;
  }
  l.eps_div = Mag{a.divide_error} * l.u_acc;
  // Tiles in which no key is visible are divided as well.  docs/bounds.md 4.3
  l.tiles = !a.renormalises ? 0 : a.tile > 0 ? tiles : std::max(l.n, S);
  l.renormal = l.tiles * (1 + std::ceil(a.divide_error));
  l.merges = a.merge != Arithmetic::Merge::none;
  l.levels = l.merges ? a.merge_levels : 0;
  l.parts = !l.merges ? 0 : a.splits > 0 ? a.splits : l.n;
  l.n_lse = {a.lse_rounds};
  l.eps_log = Mag{a.log_error} * l.u_S;
}

void output_letters(const Arithmetic& a, Letters& l) {
  l.max_lse = info(a.lse_out).max;
  l.border_out = border(a, a.out, a.accumulator);
  l.border_part = border(a, a.part, a.accumulator);
  if (narrower(a.out, a.accumulator)) {
    l.u_out = unit(a, a.out);
    l.eta_out = underflow(a, a.out);
  }
  if (l.merges && narrower(a.part, a.accumulator)) {
    l.u_part = unit(a, a.part);
    l.eta_part = underflow(a, a.part);
  }
  if (narrower(a.lse_out, a.score)) {
    l.u_lse = unit(a, a.lse_out);
    l.eta_lse = underflow(a, a.lse_out);
  }
}

}  // namespace

Letters letters_of(const Arithmetic& words, const Shape& shape, std::int64_t n) {
  Letters l;
  l.words = words;
  l.n = static_cast<double>(n);
  l.d_k = static_cast<double>(shape.d_k);
  l.u_S = unit(words, words.score);
  l.eta_S = underflow(words, words.score);
  l.max_S = std::min(info(words.score).max, info(words.dot).max);
  l.stores = words.score_stores > 0;
  l.max_st = std::numeric_limits<double>::infinity();
  if (l.stores) {
    l.u_st = unit(words, words.score_store);
    l.eta_st = underflow(words, words.score_store);
    l.max_st = info(words.score_store).max;
  }
  l.eps_c = Mag{words.constant_error} * l.u_S;
  l.eps_tanh = Mag{words.tanh_error} * l.u_S;
  scale_letters(words, l);
  weight_letters(words, l);
  sum_letters(words, shape, l);
  output_letters(words, l);
  return l;
}

Mag Letters::flushed(Format format, double size) const {
  const bool taken = flushes(words, format) && std::fabs(size) < info(format).mu;
  return taken ? Mag{std::fabs(size)} : Mag{};
}

double Letters::other_roundings() const {
  const double merged = levels > 1 ? 4 * (levels - 1) : 0;
  return 1 + (may_norm_first ? 1 : 0) + renormal + merged + descales;
}

Mag Letters::nu(double times) const {
  return compound(gamma(Mag{chain + times + other_roundings()} * u_acc), u_op);
}

Mag Letters::per_rounding(double most) const { return divide(gamma(Mag{most} * u_acc), most); }

Mag Letters::mu(double times) const { return gamma(Mag{chain + times} * u_acc); }

}  // namespace qkvet::bound
