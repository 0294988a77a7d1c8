// Attention in Arb balls: scores, cap, bias, exponentials, sum, weights, outputs; the precision is
// raised until the answer is tight. docs/oracle.md 3.
#include <cmath>
#include <qkvet/oracle/arb_row.ipp>

namespace qkvet {
namespace {

constexpr slong first_precision = 128, last_precision = 8192;
constexpr double largest_double = std::numeric_limits<double>::max();

// Multiplies by the sabotage's factor if this pass is to be spoilt: tests only.
void spoil(const Sabotage* sabotage, Pass pass, arb_ptr x, slong precision) {
  if (!spoils(sabotage, pass)) return;
  Arb factor;
  arb_set_d(factor.get(), sabotage->factor());
  arb_mul(x, x, factor.get(), precision);
}

void set_scale(const Problem& problem, arb_ptr scale, slong precision) {
  if (problem.scale) {
    arb_set_d(scale, *problem.scale);
  } else {
    arb_rsqrt_ui(scale, static_cast<ulong>(problem.shape.d_k), precision);
  }
}

// cap * tanh(x / cap)
void apply_cap(arb_ptr x, double softcap, slong precision) {
  Arb cap;
  arb_set_d(cap.get(), softcap);
  arb_div(x, x, cap.get(), precision);
  arb_tanh(x, x, precision);
  arb_mul(x, x, cap.get(), precision);
}

// The last key that a row sees: the place at which tests spoil a pass.
std::int64_t spoilt_key(const RowEnclosure& plan) {
  std::int64_t last = -1;
  for (const KeyTrace& key : plan.trace.keys) {
    if (key.visible && key.finite && !key.sink) last = key.key;
  }
  return last;
}

// Fills e = exp(s - shift) of the visible keys, where shift is the middle of the largest score, and
// answers their sum and its logarithm.
void sum_of_exponentials(const RowEnclosure& plan, bool with_sink, const Sabotage* sabotage,
                         slong precision, const ArbRow& row, ArbVector& e, arb_ptr m, arb_ptr sum,
                         arb_ptr lse) {
  arb_neg_inf(m);
  for (const KeyTrace& key : plan.trace.keys) {
    if (key.visible && (with_sink || !key.sink)) arb_max(m, m, row.s.at(key.key), precision);
  }
  Arb shift, argument;
  arb_get_mid_arb(shift.get(), m);
  arb_zero(sum);
  const std::int64_t spoilt = spoilt_key(plan);
  for (const KeyTrace& key : plan.trace.keys) {
    if (!key.visible || (key.sink && !with_sink)) continue;
    arb_sub(argument.get(), row.s.at(key.key), shift.get(), precision);
    if (key.key == spoilt && spoils(sabotage, Pass::shift)) {
      arb_set_d(e.at(key.key), std::ldexp(1.0, sabotage->exponent));
      arb_add(argument.get(), argument.get(), e.at(key.key), precision);
    }
    arb_exp(e.at(key.key), argument.get(), precision);
    if (key.key == spoilt) spoil(sabotage, Pass::exp, e.at(key.key), precision);
    arb_add(sum, sum, e.at(key.key), precision);
  }
  spoil(sabotage, Pass::sum, sum, precision);
  arb_log(lse, sum, precision);
  arb_add(lse, lse, shift.get(), precision);
}

// Is the radius small beside the value, or below `floor`?
bool is_tight(arb_srcptr x, double floor) {
  constexpr slong relative_bits = 60;  // docs/oracle.md 3.2
  if (!arb_is_finite(x)) return false;
  if (arb_rel_accuracy_bits(x) >= relative_bits) return true;
  return mag_cmp_2exp_si(arb_radref(x), -1100) <= 0 || mag_get_d(arb_radref(x)) <= floor;
}

}  // namespace

// Passes 1 to 4, on every key whose inputs are finite: dot, scale, cap, bias.
void ArbRung::State::scores(const RowEnclosure& plan, std::int64_t entry, std::int64_t h,
                            std::int64_t i, slong precision, ArbRow& row) const {
  const Shape& shape = problem.shape;
  const std::int64_t spoilt = spoilt_key(plan);
  ArbVector query(shape.d_k);
  for (std::int64_t c = 0; c < shape.d_k; ++c) {
    const std::int64_t place = ((entry * shape.H_q + h) * shape.L + i) * shape.d_k + c;
    const double x = decode(problem.format, problem.q.bits[static_cast<std::size_t>(place)]);
    if (std::isfinite(x)) arb_set_d(query.at(c), x);
  }
  set_scale(problem, row.scale.get(), precision);
  spoil(sabotage, Pass::scale, row.scale.get(), precision);
  const bool cap = problem.softcap > 0;
  const bool cap_last = cap && semantics.cap_order == Semantics::CapOrder::bias_then_cap;
  for (const KeyTrace& key : plan.trace.keys) {
    if (!key.finite || key.sink) continue;
    const std::int64_t j = key.key;
    arb_ptr x = row.x.at(j), s = row.s.at(j);
    arb_dot(x, nullptr, 0, query.at(0), 1, keys.at(j * shape.d_k), 1, shape.d_k, precision);
    if (j == spoilt) spoil(sabotage, Pass::dot, x, precision);
    arb_mul(x, x, row.scale.get(), precision);
    arb_set(s, x);
    if (cap && !cap_last) apply_cap(s, problem.softcap, precision);
    if (j == spoilt && !cap_last) spoil(sabotage, Pass::cap, s, precision);
    add_bias(entry, h, i, j, j == spoilt, precision, row);
    if (cap_last && arb_is_finite(s)) apply_cap(s, problem.softcap, precision);
    if (cap_last && !arb_is_finite(s)) arb_set_d(s, -problem.softcap);  // The limit at -inf.
    if (j == spoilt && cap_last) spoil(sabotage, Pass::cap, s, precision);
  }
  if (plan.trace.keys.empty() || !plan.trace.keys.back().sink) return;
  const KeyTrace& sink = plan.trace.keys.back();
  if (sink.finite) arb_set_d(row.s.at(sink.key), sink.s.lo);
  spoil(sabotage, Pass::sink, row.s.at(sink.key), precision);
}

// bias = additive bias - slope |i + offset - j|, and s += bias.
void ArbRung::State::add_bias(std::int64_t entry, std::int64_t h, std::int64_t i, std::int64_t j,
                              bool spoilt, slong precision, ArbRow& row) const {
  const Sabotage* const fault = spoilt ? sabotage : nullptr;
  arb_ptr bias = row.bias.at(j), s = row.s.at(j);
  arb_set_d(bias, mask.additive(entry, h, i, j));
  spoil(fault, Pass::bias, bias, precision);
  if (problem.alibi_slopes) {
    const Tensor& slopes = *problem.alibi_slopes;
    Arb slope, distance;
    arb_set_d(slope.get(), decode(slopes.format, slopes.bits[static_cast<std::size_t>(h)]));
    spoil(fault, Pass::alibi, slope.get(), precision);
    const Int128 ahead = Int128{j} - mask.diagonal_key(entry, i);
    set_wide(distance.get(), ahead < 0 ? -ahead : ahead);
    arb_submul(bias, slope.get(), distance.get(), precision);
  }
  arb_add(s, s, bias, precision);
}

// Passes 5 to 8: max, exponentials, sum and its logarithm, weights.
void ArbRung::State::weights(const RowEnclosure& plan, slong precision, ArbRow& row) const {
  Arb sum, unused_m;
  if (plan.trace.keys.back().sink) {
    sum_of_exponentials(plan, false, sabotage, precision, row, row.e, unused_m.get(), sum.get(),
                        row.lse_without_sink.get());
  }
  sum_of_exponentials(plan, true, sabotage, precision, row, row.e, row.m.get(), sum.get(),
                      row.lse.get());
  if (!plan.trace.keys.back().sink) arb_set(row.lse_without_sink.get(), row.lse.get());
  const std::int64_t spoilt = spoilt_key(plan);
  for (const KeyTrace& key : plan.trace.keys) {
    if (!key.visible) continue;
    arb_div(row.p.at(key.key), row.e.at(key.key), sum.get(), precision);
    if (key.key == spoilt) spoil(sabotage, Pass::weight, row.p.at(key.key), precision);
  }
}

// Pass 9: o_d = sum_j p_j V_jd. Hidden keys have p = 0, the sink has no value.
void ArbRung::State::outputs(const RowEnclosure& plan, slong precision, ArbRow& row) const {
  const Shape& shape = problem.shape;
  const std::int64_t spoilt = spoilt_key(plan);
  Arb change;
  for (std::int64_t d = 0; d < shape.d_v; ++d) {
    const ColumnFacts& column = plan.columns[static_cast<std::size_t>(d)];
    arb_ptr o = row.o.at(d);
    if (column.visible_nan || column.visible_inf) {
      arb_zero_pm_inf(o);
      continue;
    }
    arb_dot(o, nullptr, 0, row.p.at(0), 1, values.at(d), shape.d_v, shape.S, precision);
    if (!spoils(sabotage, Pass::value)) continue;
    arb_mul(change.get(), row.p.at(spoilt), values.at(spoilt * shape.d_v + d), precision);
    arb_mul_2exp_si(change.get(), change.get(), sabotage->exponent);
    arb_add(o, o, change.get(), precision);
  }
}

ArbRow ArbRung::State::compute(const RowEnclosure& plan, std::int64_t entry, std::int64_t h,
                               std::int64_t i, slong precision) const {
  const auto entries = static_cast<std::int64_t>(plan.trace.keys.size());
  ArbRow row;
  row.x = ArbVector(entries);
  row.bias = ArbVector(entries);
  row.s = ArbVector(entries);
  row.e = ArbVector(entries);
  row.p = ArbVector(entries);
  row.o = ArbVector(problem.shape.d_v);
  scores(plan, entry, h, i, precision, row);
  if (plan.row_class != RowClass::live) return row;
  weights(plan, precision, row);
  outputs(plan, precision, row);
  return row;
}

// Scores of all keys, hidden ones too, and weights of the visible ones.
bool ArbRung::State::tight_keys(const RowEnclosure& plan, const ArbRow& row) const {
  const double scale = outward_doubles(row.scale.get()).magnitude();
  for (const KeyTrace& key : plan.trace.keys) {
    if (!key.finite || key.sink) continue;
    const double size = scale * key.A;
    const double floor = 0x1p-100 * (size <= largest_double && size > 1 ? size : 1);
    const bool infinite = !arb_is_finite(row.bias.at(key.key));  // Exactly -inf.
    if (!is_tight(row.x.at(key.key), floor)) return false;
    if (!infinite && !is_tight(row.bias.at(key.key), floor)) return false;
    if (arb_is_finite(row.s.at(key.key)) && !is_tight(row.s.at(key.key), floor)) return false;
  }
  if (plan.row_class != RowClass::live) return true;
  return std::all_of(plan.trace.keys.begin(), plan.trace.keys.end(), [&](const KeyTrace& key) {
    return !key.visible || is_tight(row.p.at(key.key), 0);
  });
}

bool ArbRung::State::tight(const RowEnclosure& plan, const ArbRow& row) const {
  if (!tight_keys(plan, row)) return false;
  if (plan.row_class != RowClass::live) return true;
  if (!is_tight(row.lse.get(), 0x1p-100) || !is_tight(row.lse_without_sink.get(), 0x1p-100)) {
    return false;
  }
  for (std::int64_t d = 0; d < problem.shape.d_v; ++d) {
    const ColumnFacts& column = plan.columns[static_cast<std::size_t>(d)];
    if (column.visible_nan || column.visible_inf) continue;
    if (!is_tight(row.o.at(d), value_max[static_cast<std::size_t>(d)] * 0x1p-100)) return false;
  }
  return true;
}

ArbRow ArbRung::State::compute_tight(const RowEnclosure& plan, std::int64_t entry, std::int64_t h,
                                     std::int64_t i) const {
  for (slong precision = first_precision;; precision *= 2) {
    ArbRow row = compute(plan, entry, h, i, precision);
    if (precision >= last_precision || tight(plan, row)) return row;
  }
}

ArbRung::ArbRung(const Problem& problem, const Semantics& semantics, const Sabotage* sabotage)
    : state_(std::make_unique<State>(problem, semantics, sabotage)) {}
ArbRung::~ArbRung() = default;
ArbRung::ArbRung(ArbRung&&) noexcept = default;
ArbRung& ArbRung::operator=(ArbRung&&) noexcept = default;

}  // namespace qkvet
