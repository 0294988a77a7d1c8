// Where the contract permits overflow: such rows and columns are counted, never passed.
// docs/bounds.md 6
#include <algorithm>
#include <cmath>
#include <qkvet/bound/row_bound.hpp>

namespace qkvet::bound {
namespace {

constexpr double log2_e_up = 1.4427;  // docs/bounds.md 6.1: folded into scores by base-2 kernels
constexpr double twice_log2_e_up = 2.8854;  // docs/bounds.md 6.1: folded into a softcap's 2x

bool exceeds(Mag x, double limit) { return !(x.value() <= limit); }

/// May hidden keys enter the row with a finite score?
bool hides_by_finite(const Letters& l, const Contract& contract) {
  using MaskBy = Arithmetic::MaskBy;
  const bool finite = l.words.mask_by == MaskBy::finite || l.words.mask_by == MaskBy::any;
  return finite && !contract.promises.selection;
}

/// What multiplies an element of q or k that is scaled, log2 e and a softcap folded in unless
/// scores are stored (those are natural).  docs/bounds.md 6.2
Mag side_factor(const Letters& l, const RowFacts& f) {
  Mag folded{log2_e_up};
  if (f.cap > 0) folded = max(folded, divide(Mag{twice_log2_e_up}, f.cap));
  if (l.stores) folded = Mag{1.0};
  return folded * (l.scales_both ? max(f.scale, f.scale_root) : f.scale) * (Mag{1.0} + l.dot_error);
}

/// docs/bounds.md 6.3: a hidden score that is stored low before it is masked, its bias included.
bool hidden_store_overflows(const Letters& l, const RowFacts& f, const KeyTrace& key) {
  if (!l.stores) return false;
  const Mag rounded = (Mag{1.0} + l.dot_error) * (Mag{1.0} + gamma(Mag{4.0} * l.u_st));
  const Mag x = max(Mag{1.0}, f.scale) * Mag{key.A};
  const double bias = std::isfinite(key.bias.hi) ? std::max(0.0, key.bias.hi) : 0;
  return exceeds((x + Mag{bias}) * rounded, l.max_st);
}

/// docs/bounds.md 6.2: rounding to TF32 reaches infinity from just below the largest f32.
bool operand_overflows(const Letters& l, Mag x) {
  return !l.u_op.is_zero() && exceeds(x * (Mag{1.0} + l.u_op), info(Format::binary32).max);
}

/// docs/bounds.md 6.2: products, scaled inputs and folded constants, for one key.
bool product_overflows(const Letters& l, const RowFacts& f, const KeyTrace& key) {
  const Mag margin = Mag{1.0} + l.dot_error;
  if (operand_overflows(l, Mag{key.k_max})) return true;
  if (!key.visible && hidden_store_overflows(l, f, key)) return true;
  const Mag folded = max(Mag{1.0}, max(f.scale, Mag{log2_e_up} * f.scale));
  if (exceeds(folded * Mag{key.A} * margin, l.max_S)) return true;
  if (f.cap > 0) {
    const Mag capped = divide(Mag{twice_log2_e_up} * f.scale, f.cap);
    if (exceeds(capped * Mag{key.A} * margin, l.max_S)) return true;
  }
  return (l.scales_k || l.scales_both) && exceeds(side_factor(l, f) * Mag{key.k_max}, l.max_q);
}

bool constants_overflow(const Letters& l, const RowFacts& f) {
  if (operand_overflows(l, f.q_max)) return true;
  if (exceeds(Mag{log2_e_up} * f.scale, l.max_S)) return true;
  if (f.cap > 0 && (exceeds(Mag{twice_log2_e_up} * Mag{f.cap}, l.max_S) ||
                    exceeds(divide(Mag{twice_log2_e_up} * f.scale, f.cap), l.max_S))) {
    return true;
  }
  return (l.scales_q || l.scales_both) && exceeds(side_factor(l, f) * f.q_max, l.max_q);
}

/// docs/bounds.md 6.4: ln of the weight of a subset's maximum under a fused shift.
Mag shift_error(const RowBound& row, const KeyBound& key) {
  const Letters& l = row.letters;
  const Mag drift = Mag{l.drifts} * l.u_S * (Mag{key.s.magnitude()} + key.delta + l.tau);
  if (!l.fused) return drift;
  return drift + Mag{log2_e_up} * gamma(Mag{l.words.score_rounds + 1} * l.u_S) *
         (Mag{key.s.magnitude()} + key.delta);
}

/// docs/bounds.md 6.3: a key that is hidden by the lowest finite number, set or added, has weight 0
/// only while some visible score, `highest`, stays far above it.
bool sentinel_counts(const Contract& contract, const RowTrace& trace, const Letters& l,
                     const RowFacts& f, double highest) {
  if (!hides_by_finite(l, contract)) return false;
  const Mag unit{l.stores ? 1.0 : log2_e_up};  // stored scores are natural, others may be in bits
  const double lowest = l.stores ? l.max_st : l.max_S;
  const Mag rounding = gamma(Mag{4.0} * (l.stores ? l.u_st : l.u_S));
  const Mag below = unit * Mag{std::max(0.0, -highest)} + rounding * Mag{lowest};
  const Mag vanishes{1.0 - std::ilogb(info(l.words.score).eta)};  // exp2 and exp of minus that are 0
  for (const KeyTrace& key : trace.keys) {
    if (key.visible || key.sink || !key.finite) continue;
    Mag x = Mag{std::max(0.0, key.x.hi)} + f.scale * l.dot_error * Mag{key.A};
    if (f.cap > 0 && !f.cap_last) x = min(x, Mag{f.cap});
    x += Mag{std::isfinite(key.bias.hi) ? std::max(0.0, key.bias.hi) : 0.0};
    if (exceeds(below + unit * x * (Mag{1.0} + rounding) + vanishes, lowest)) return true;
  }
  return false;
}

}  // namespace

std::optional<std::string> product_overflow(const Problem& problem, const Contract& contract,
                                            const RowTrace& trace, const Letters& l,
                                            const RowFacts& f) {
  // docs/bounds.md 6.3: kernels that compute hidden scores before they mask.
  const bool reads_hidden =
      l.words.mask_by != Arithmetic::MaskBy::exclusion && !contract.promises.selection;
  if (constants_overflow(l, f)) return "a scaled query or a folded constant can overflow";
  for (const KeyTrace& key : trace.keys) {
    if (key.sink || !key.finite || !(key.visible || reads_hidden)) continue;
    if (product_overflows(l, f, key)) return "a product of q and k can overflow";
    if (key.visible || !(problem.mask.bias || problem.alibi_slopes)) continue;
    const Mag score = Mag{std::max(0.0, key.x.hi)} + Mag{std::max(0.0, key.bias.hi)};
    if (exceeds(Mag{log2_e_up} * score * (Mag{1.0} + l.dot_error), l.max_S)) {
      return "a hidden score with its bias can overflow before it is masked";
    }
  }
  return std::nullopt;
}

void row_overflow(const Problem& problem, const Contract& contract, const RowTrace& trace,
                  RowBound& row) {
  const Letters& l = row.letters;
  row.uncheckable = product_overflow(problem, contract, trace, l, row.facts);
  double highest = -std::numeric_limits<double>::infinity();
  Mag z;
  for (const KeyBound& key : row.keys) {
    const double upper = add_up(key.s.hi, key.delta.value());
    if (key.overflows || exceeds(Mag{log2_e_up} * Mag{std::max(0.0, upper)}, l.max_S)) {
      row.uncheckable = "a score can overflow";
    }
    if (!key.vanishes) highest = std::max(highest, add_down(key.s.lo, -key.delta.value()));
    z = max(z, shift_error(row, key));
  }
  if (exceeds(z, 60) || exceeds(l.tau + z + l.eps_exp + Mag{2.0} * l.u_S, l.log_max_P)) {
    row.uncheckable = "a lazy or fused shift can overflow a weight";
  }
  if (!(log2_e_up * highest >= -detail::below(l.max_S, 8))) {
    row.uncheckable = "every score can fall below the range of its format";
  }
  if (sentinel_counts(contract, trace, l, row.facts, highest)) {
    row.uncheckable = "a finite score that hides a key can be as high as the visible ones";
  }
  row.top_weight = l.scale_P * mag_exp((l.tau + z).value()) * (Mag{1.0} + l.eps_exp);
  // docs/bounds.md 6.6
  row.lse_uncheckable = row.uncheckable.has_value() || row.tau.value() > 80;
}

namespace {

/// |V| of the columns in question by sign, key by key; zeros for the sink.
struct SignedValues {
  std::vector<double> plus, minus;  ///< [keys, columns]
};

SignedValues signed_values(const RowBound& row, const double* v, std::int64_t d_v,
                           const std::vector<std::int64_t>& columns) {
  const std::size_t size = row.keys.size() * columns.size();
  SignedValues out{std::vector<double>(size), std::vector<double>(size)};
  std::size_t at = 0;
  for (const KeyBound& key : row.keys) {
    for (const std::int64_t column : columns) {
      const double x = key.sink ? 0 : v[key.key * d_v + column];
      (x > 0 ? out.plus : out.minus)[at++] = std::fabs(x);
    }
  }
  return out;
}

/// The most that a subset of the keys whose maximum is `top` can accumulate, per column, by sign:
/// its weights are at most e^min(0, s_j - s_top + errors). Sums of n products of one sign in plain
/// double are at most (n + 1) v below, and what underflows is at most 2^-1074 each: the last step
/// makes up for it.
void subset_sums(const RowBound& row, const KeyBound& top, const SignedValues& values,
                 std::vector<Mag>& most) {
  const std::size_t columns = most.size();
  std::vector<double> sums(2 * columns, 0.0);
  double* plus = sums.data();
  double* minus = plus + columns;
  std::size_t at = 0;
  for (const KeyBound& key : row.keys) {
    const double* up = values.plus.data() + at;
    const double* down = values.minus.data() + at;
    at += columns;
    if (key.sink) continue;
    // A key that is surely above `top` is in no subset whose maximum is `top`.
    if (add_down(key.s.lo, -key.d.value()) > add_up(top.s.hi, top.d.value())) continue;
    const double exponent = add_up(add_up(key.s.hi, -top.s.lo), (key.d + top.d).value());
    const double weight = exponent < 0 ? mag_exp(exponent).value() : 1.0;
    for (std::size_t c = 0; c < columns; ++c) plus[c] += weight * up[c];
    for (std::size_t c = 0; c < columns; ++c) minus[c] += weight * down[c];
  }
  const auto n = static_cast<double>(row.keys.size());
  const Mag rounded{1 + 0x1p-52 * (n + 2)};
  const Mag lost = Mag{n} * Mag{0x1p-1074};
  for (std::size_t c = 0; c < columns; ++c) {
    most[c] = max(most[c], Mag{std::max(plus[c], minus[c])} * rounded + lost);
  }
}

}  // namespace

std::vector<bool> column_overflows(const RowBound& row, const std::vector<ColumnSums>& sums,
                                   const double* v) {
  const Letters& l = row.letters;
  // Sums of one sign carry the rounding of both.
  const Mag top = row.top_weight * (Mag{1.0} + l.u_P) * (Mag{1.0} + Mag{2.0} * row.nu_max);
  const auto d_v = static_cast<std::int64_t>(sums.size());
  std::vector<bool> out(sums.size(), false);
  std::vector<std::int64_t> near;  // columns that the sum of all |V| does not settle
  for (std::int64_t d = 0; d < d_v; ++d) {
    const ColumnSums& c = sums[static_cast<std::size_t>(d)];
    const Mag unit{c.unit};
    if (l.words.merge == Arithmetic::Merge::sigmoid &&
        exceeds(Mag{2.0} * Mag{c.size} * unit, l.max_acc)) {
      out[static_cast<std::size_t>(d)] = true;
    } else if (exceeds(top * c.absolute * unit, l.max_acc)) {
      near.push_back(d);
    }
  }
  // Looking at every subset's maximum costs n^2; without it the answer is only more cautious.
  const bool look = row.keys.size() <= 1024;
  std::vector<Mag> most(near.size(), look ? Mag{} : Mag::infinity());
  if (look && !near.empty()) {
    const SignedValues values = signed_values(row, v, d_v, near);
    for (const KeyBound& key : row.keys) subset_sums(row, key, values, most);
  }
  for (std::size_t c = 0; c < near.size(); ++c) {
    out[static_cast<std::size_t>(near[c])] = exceeds(top * most[c], l.max_acc);
  }
  return out;
}

bool hidden_values_overflow(const Letters& l, const Contract& contract, Mag absolute,
                            Mag largest) {
  const bool multiplies = l.words.mask_by != Arithmetic::MaskBy::exclusion;
  if (multiplies && !contract.promises.selection && operand_overflows(l, largest)) {
    return true;  // infinity times a weight of 0
  }
  if (!hides_by_finite(l, contract)) return false;
  const Mag top = l.scale_P * mag_exp(l.tau.value()) * (Mag{1.0} + l.eps_exp) *
                  (Mag{1.0} + l.nu_rounded(l.rescales));
  if (exceeds(top * absolute, l.max_acc)) return true;
  // A part of hidden keys alone has weight 0 in the merge, and its output must not be infinite.
  if (!l.merges || info(l.words.part).precision >= info(l.words.accumulator).precision) return false;
  const Mag outside = hull_excess(l, largest, Mag{1.0}, Mag{}, Mag{}, l.tau);
  return exceeds(largest + outside, detail::below(l.border_part));
}

}  // namespace qkvet::bound
