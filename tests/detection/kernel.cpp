#include "kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <qkvet/kernels/args.hpp>
#include <qkvet/kernels/low.hpp>
#include <utility>
#include <vector>

namespace detection {
namespace {

using namespace qkvet::kernels;

template <class Real>
Real to_bf16(Real x) {
  return static_cast<Real>(wide(narrow<BF16>(static_cast<float>(x))));
}
template <class Real>
Real to_f16(Real x) {
  return static_cast<Real>(wide(narrow<F16>(static_cast<float>(x))));
}
/// x to `bits` significant bits, to nearest.
template <class Real>
Real to_bits(Real x, int bits) {
  if (!(std::fabs(x) > 0) || !std::isfinite(x)) return x;
  int exponent = 0;
  const Real mantissa = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, bits)), exponent - bits);
}
/// a + b, toward zero.
float truncated_add(float a, float b) {
  const double exact = static_cast<double>(a) + static_cast<double>(b);
  const auto near = static_cast<float>(exact);
  return std::fabs(static_cast<double>(near)) > std::fabs(exact) ? std::nextafter(near, 0.0F) : near;
}
double truncated_add(double a, double b) {
  const double near = a + b, back = near - a;  // two-sum
  const double lost = (a - (near - back)) + (b - back);
  return (near > 0 ? lost < 0 : lost > 0) ? std::nextafter(near, 0.0) : near;
}

template <class Real>
class Row {
 public:
  Row(const Build& build, const qkvet_args& args, std::int64_t b, std::int64_t h, std::int64_t i)
      : build_(build), args_(args), dims_(dims_of(args)), mask_(args, b, h, i), b_(b), i_(i) {
    kv_ = h / (dims_.H_q / dims_.H_kv);
    if (is(Fault::wrong_kv_head)) kv_ = (kv_ + 1) % dims_.H_kv;
    for (std::int64_t c = 0; c < dims_.d_k; ++c) query_.push_back(input(*args.q, h, i, c));
    // A causal mask shows one key more to the next row, a window to the one before.
    if (is(Fault::causal_one_more) && i + 1 < dims_.L) more_ = RowMask(args, b, h, i + 1);
    if (is(Fault::window_one_more) && i > 0) more_ = RowMask(args, b, h, i - 1);
    sink_ = static_cast<Real>(sink_of(args, h));
    scale_ = static_cast<Real>(args.scale);
    if (is(Fault::scale_of_padded_d_k) && (args.flags & QKVET_DEFAULT_SCALE) != 0 &&
        dims_.d_k % 16 != 0) {
      scale_ = 1 / std::sqrt(static_cast<Real>((dims_.d_k + 15) / 16 * 16));
    }
    if (is(Fault::scale_in_bf16)) scale_ = to_bf16(scale_);
  }

  /// Outputs before their store, and the LSE.
  struct Result {
    std::vector<Real> o;
    Real lse;
  };
  [[nodiscard]] Result run();

 private:
  struct State {
    Real maximum = -std::numeric_limits<Real>::infinity(), sum = 0;
    std::vector<Real> values;
  };

  [[nodiscard]] bool is(Fault fault) const { return build_.fault == fault; }
  [[nodiscard]] Real input(const qkvet_tensor& t, std::int64_t h, std::int64_t j,
                           std::int64_t c) const {
    const auto x = static_cast<Real>(number_at(
        t, b_ * t.strides[0] + h * t.strides[1] + j * t.strides[2] + c * t.strides[3]));
    return is(Fault::tf32_inputs) && &t != args_.v ? to_bits(x, 11) : x;
  }
  [[nodiscard]] bool sees(std::int64_t j) const;
  [[nodiscard]] Real score(std::int64_t j) const;
  [[nodiscard]] Real weight(Real argument) const;
  [[nodiscard]] Real value(std::int64_t j, std::int64_t d) const;
  [[nodiscard]] Real held(Real w) const;
  [[nodiscard]] Real plus(Real a, Real b) const {
    return is(Fault::sums_truncated) ? truncated_add(a, b) : a + b;
  }
  void add_tile(State& state, std::int64_t first, std::int64_t last);
  void add_key(State& state, std::int64_t j, Real s);
  [[nodiscard]] State over(std::int64_t first, std::int64_t last);
  [[nodiscard]] Result mean_of_values() const;
  [[nodiscard]] Result divided(State state) const;

  const Build& build_;
  const qkvet_args& args_;
  Dims dims_;
  RowMask mask_, more_ = mask_;
  std::int64_t b_, i_, kv_ = 0;
  std::vector<Real> query_;
  Real sink_ = 0, scale_ = 1;
  bool dropped_ = false;
};

template <class Real>
bool Row<Real>::sees(std::int64_t j) const {
  const qkvet_mask* m = args_.mask;
  const bool more = m != nullptr && ((is(Fault::causal_one_more) && m->causal != 0) ||
                                     (is(Fault::window_one_more) && m->window_left >= 0));
  if (is(Fault::masked_by_minus_1e4)) return true;
  return mask_.visible(j) || (more && more_.visible(j));
}

template <class Real>
Real Row<Real>::score(std::int64_t j) const {
  std::array<Real, 16> lanes{};
  Real tail = 0;
  const std::int64_t whole = is(Fault::dot_tail_in_bf16) ? (dims_.d_k - 1) / 16 * 16 : dims_.d_k;
  for (std::int64_t c = 0; c < dims_.d_k; ++c) {
    const Real product = query_[static_cast<std::size_t>(c)] * input(*args_.k, kv_, j, c);
    if (c < whole) {
      lanes[static_cast<std::size_t>(c % 16)] += product;
    } else {
      tail = to_bf16(tail + product);
    }
  }
  for (std::size_t width = 8; width > 0; width /= 2) {
    for (std::size_t n = 0; n < width; ++n) lanes[n] += lanes[n + width];
  }
  Real x = lanes[0] + tail;
  const auto cap = static_cast<Real>(args_.softcap);
  const bool caps = cap > 0 && !is(Fault::softcap_missing);
  if (caps && is(Fault::softcap_before_scale)) x = cap * std::tanh(x / cap);
  x *= scale_;
  if (caps && !is(Fault::softcap_before_scale)) x = cap * std::tanh(x / cap);
  if (args_.mask != nullptr && args_.mask->bias != nullptr) {
    const auto bias = static_cast<Real>(mask_.bias(j));
    x += is(Fault::bias_in_bf16) ? to_bf16(bias) : bias;
  }
  if (is(Fault::masked_by_minus_1e4) && !mask_.visible(j)) x = -10000;
  return x;
}

template <class Real>
Real Row<Real>::weight(Real x) const {
  if (is(Fault::exp_clamped_at_20)) x = std::max(x, Real{-20});
  if (is(Fault::log2e_1_4427)) return std::exp2(x * static_cast<Real>(1.4427));
  if (is(Fault::exp_degree_3)) {
    const Real y = std::max(x * static_cast<Real>(1.4426950408889634), Real{-1000});
    const Real whole = std::floor(y), t = y - whole;
    const Real p = 1 + t * (static_cast<Real>(0.6951) +
                            t * (static_cast<Real>(0.2276) + t * static_cast<Real>(0.0773)));
    return std::ldexp(p, static_cast<int>(whole));
  }
  const Real w = std::exp(x);
  if (is(Fault::exp_in_bf16)) return to_bf16(w);
  return is(Fault::exp_biased) ? w * (1 + 4 * std::numeric_limits<Real>::epsilon()) : w;
}

template <class Real>
Real Row<Real>::value(std::int64_t j, std::int64_t d) const {
  const std::int64_t last = dims_.S - 1;
  if (is(Fault::tail_reads_previous_v) && j == last && j > 0) --j;
  if (is(Fault::rows_swapped_at_tile) && dims_.S > 64 && (j == 63 || j == 64)) j = 127 - j;
  if (is(Fault::last_column_repeated) && d == dims_.d_v - 1 && d > 0) --d;
  return input(*args_.v, kv_, j, d);
}

/// Weights enter P V in the storage format where that is a low one.
template <class Real>
Real Row<Real>::held(Real w) const {
  const qkvet_dtype stored = args_.q->dtype;
  return same(stored, bf16) ? to_bf16(w) : same(stored, f16) ? to_f16(w) : w;
}

template <class Real>
void Row<Real>::add_key(State& state, std::int64_t j, Real s) {
  const Real shift = state.maximum;
  const Real w = std::isinf(s) ? 0 : weight(s - shift);
  if (is(Fault::light_last_key_skipped) && j == dims_.S - 1 && w < static_cast<Real>(1e-3)) return;
  if (is(Fault::light_key_dropped) && dims_.S >= 64 && !dropped_ && w < static_cast<Real>(1e-5) &&
      w > static_cast<Real>(2e-6)) {
    dropped_ = true;
    return;
  }
  const bool twice = is(Fault::tail_counted_twice) && j == dims_.S - 1;
  for (int n = twice ? 0 : 1; n < 2; ++n) {
    state.sum = plus(state.sum, is(Fault::exp_f16_in_sum) ? to_f16(w) : w);
    if (is(Fault::sum_in_bf16)) state.sum = to_bf16(state.sum);
    const Real p = held(w);
    for (std::int64_t d = 0; d < dims_.d_v; ++d) {
      Real& to = state.values[static_cast<std::size_t>(d)];
      to = plus(to, p * value(j, d));
    }
  }
}

template <class Real>
void Row<Real>::add_tile(State& state, std::int64_t first, std::int64_t last) {
  constexpr Real nothing = -std::numeric_limits<Real>::infinity();
  std::vector<Real> scores;
  Real top = nothing;
  for (std::int64_t j = first; j < last; ++j) {
    const bool dropped = is(Fault::middle_key_dropped) && j == dims_.S / 2;
    scores.push_back(sees(j) && !dropped ? score(j) : nothing);
    top = std::max(top, scores.back());
  }
  Real maximum = std::max(state.maximum, top);
  if (is(Fault::maximum_from_0)) maximum = std::max(maximum, Real{0});
  if (is(Fault::no_maximum)) maximum = 0;
  if (!(maximum > nothing)) return;
  if (maximum > state.maximum) {
    const Real alpha = state.maximum > nothing ? weight(state.maximum - maximum) : 0;
    const bool late = first >= 2 * build_.tile;
    const bool stale = is(Fault::stale_maximum) && first == build_.tile;
    if (!stale && !(is(Fault::no_rescale_of_sum) && late)) state.sum *= alpha;
    if (!stale && !(is(Fault::no_rescale_of_values) && late)) {
      for (Real& x : state.values) x *= alpha;
    }
    state.maximum = maximum;
  }
  // A tile is summed by itself, then added: that is what `tile` declares.
  State own{state.maximum, 0, std::vector<Real>(state.values.size(), Real{0})};
  for (std::int64_t j = first; j < last; ++j) {
    const Real s = scores[static_cast<std::size_t>(j - first)];
    if (s > nothing) add_key(own, j, s);
  }
  state.sum = plus(state.sum, own.sum);
  for (std::size_t d = 0; d < own.values.size(); ++d) {
    state.values[d] = plus(state.values[d], own.values[d]);
  }
  if (is(Fault::sum_in_bf16)) state.sum = to_bf16(state.sum);
  if (is(Fault::values_in_bf16_at_tiles)) {
    for (Real& x : state.values) x = to_bf16(x);
  }
}

template <class Real>
typename Row<Real>::State Row<Real>::over(std::int64_t first, std::int64_t last) {
  State state;
  state.values.assign(static_cast<std::size_t>(dims_.d_v), Real{0});
  if (first == 0 && sink_ > -std::numeric_limits<Real>::infinity() && !is(Fault::sink_omitted)) {
    state.maximum = sink_;
    state.sum = 1;
  }
  std::vector<std::int64_t> starts;
  for (std::int64_t j = first; j < last; j += build_.tile) starts.push_back(j);
  if (build_.reversed) std::reverse(starts.begin(), starts.end());
  for (const std::int64_t j : starts) add_tile(state, j, std::min(j + build_.tile, last));
  return state;
}

template <class Real>
typename Row<Real>::Result Row<Real>::divided(State state) const {
  const bool seen = !(state.sum <= 0);
  Real inverse = 1 / state.sum;
  if (is(Fault::reciprocal_12_bits)) inverse = to_bits(inverse, 12);
  for (Real& x : state.values) {
    x = !seen ? 0 : is(Fault::reciprocal_12_bits) ? x * inverse : x / state.sum;
  }
  return {std::move(state.values), seen ? state.maximum + std::log(state.sum)
                                        : -std::numeric_limits<Real>::infinity()};
}

/// As if every hidden score were the same finite number.
template <class Real>
typename Row<Real>::Result Row<Real>::mean_of_values() const {
  State state;
  for (std::int64_t d = 0; d < dims_.d_v; ++d) {
    Real sum = 0;
    for (std::int64_t j = 0; j < dims_.S; ++j) sum += value(j, d);
    state.values.push_back(sum / static_cast<Real>(dims_.S));
  }
  return {std::move(state.values), state.maximum};
}

template <class Real>
typename Row<Real>::Result Row<Real>::run() {
  const State all = is(Fault::parts_ignore_sums) ? State{} : over(0, dims_.S);
  if (is(Fault::empty_row_mean) && dims_.S > 0 && !(all.sum > 0)) return mean_of_values();
  if (!is(Fault::parts_ignore_sums)) return divided(all);
  // Two parts, weighted by their maxima alone.
  const std::int64_t half = (dims_.S + 1) / 2;
  const State a = over(0, half), b = over(half, dims_.S);
  const Real top = std::max(a.maximum, b.maximum);
  const Real w_a = a.sum > 0 ? weight(a.maximum - top) : 0;
  const Real w_b = b.sum > 0 ? weight(b.maximum - top) : 0;
  const Result x = divided(a), y = divided(b);
  Result out = x;
  for (std::size_t d = 0; d < out.o.size(); ++d) {
    out.o[d] = (w_a * x.o[d] + w_b * y.o[d]) / (w_a + w_b);
  }
  out.lse = top + std::log(w_a * a.sum + w_b * b.sum);
  return out;
}

/// The bits of a low format, one step toward 0 where it lies beyond x.
template <class Low>
Low truncated(Low near, double x) {
  if (std::fabs(static_cast<double>(wide(near))) > std::fabs(x)) --near.bits;
  return near;
}

void store(const qkvet_tensor& t, std::int64_t at, double x, bool truncates = false) {
  char* const base = base_of(t);
  const auto low = [&](auto format) {
    using Low = decltype(format);
    const Low near = narrow<Low>(static_cast<float>(x));
    reinterpret_cast<Low*>(base)[at] = truncates ? truncated(near, x) : near;
  };
  if (same(t.dtype, f64)) reinterpret_cast<double*>(base)[at] = x;
  if (same(t.dtype, f32)) reinterpret_cast<float*>(base)[at] = static_cast<float>(x);
  if (same(t.dtype, bf16)) low(BF16{});
  if (same(t.dtype, f16)) low(F16{});
}

template <class Real>
void run_all(const Build& build, const qkvet_args& args) {
  const Dims dims = dims_of(args);
  for (std::int64_t b = 0; b < dims.B; ++b)
    for (std::int64_t h = 0; h < dims.H_q; ++h)
      for (std::int64_t i = 0; i < dims.L; ++i) {
        const auto result = Row<Real>(build, args, b, h, i).run();
        const std::int64_t* step = args.o->strides;
        for (std::int64_t d = 0; d < dims.d_v; ++d) {
          store(*args.o, b * step[0] + h * step[1] + i * step[2] + d * step[3],
                static_cast<double>(result.o[static_cast<std::size_t>(d)]),
                build.fault == Fault::output_truncated);
        }
        if (args.lse == nullptr) continue;
        const std::int64_t* line = args.lse->strides;
        store(*args.lse, b * line[0] + h * line[1] + i * line[2],
              static_cast<double>(result.lse));
      }
}

int forward(void* self, const qkvet_args* args, qkvet_error* why) {
  if (const int status = accept(*args, args->q->dtype, why); status != QKVET_OK) return status;
  if (args->alibi_slopes != nullptr) return refuse(QKVET_UNSUPPORTED, "no ALiBi here", why);
  const Build& build = *static_cast<const Build*>(self);
  same(args->q->dtype, f64) ? run_all<double>(build, *args) : run_all<float>(build, *args);
  return QKVET_OK;
}

}  // namespace

std::span<const Build> mutants() {
  static constexpr std::array list{
      Build{"acc not rescaled after tile 2", Fault::no_rescale_of_values},
      Build{"l not rescaled after tile 2", Fault::no_rescale_of_sum},
      Build{"stale maximum in one tile", Fault::stale_maximum},
      Build{"last key reads V of the previous one", Fault::tail_reads_previous_v},
      Build{"last key counted twice", Fault::tail_counted_twice},
      Build{"key S/2 dropped", Fault::middle_key_dropped},
      Build{"two V rows swapped at a tile boundary", Fault::rows_swapped_at_tile},
      Build{"last V column reads the previous one", Fault::last_column_repeated},
      Build{"wrong KV head", Fault::wrong_kv_head},
      Build{"causal off by one", Fault::causal_one_more},
      Build{"window off by one", Fault::window_one_more},
      Build{"masked scores are -1e4", Fault::masked_by_minus_1e4},
      Build{"scale of the padded d_k", Fault::scale_of_padded_d_k},
      Build{"scale rounded to bf16", Fault::scale_in_bf16},
      Build{"softcap before the scale", Fault::softcap_before_scale},
      Build{"softcap missing", Fault::softcap_missing},
      Build{"sink omitted", Fault::sink_omitted},
      Build{"bias rounded to bf16", Fault::bias_in_bf16},
      Build{"last 16 of q.k summed in bf16", Fault::dot_tail_in_bf16},
      Build{"TF32 inputs in q.k", Fault::tf32_inputs},
      Build{"log2 e = 1.4427", Fault::log2e_1_4427},
      Build{"exp by a cubic", Fault::exp_degree_3},
      Build{"exp argument clamped at -20", Fault::exp_clamped_at_20},
      Build{"exp rounded to bf16", Fault::exp_in_bf16},
      Build{"exp rounded to f16 in l", Fault::exp_f16_in_sum},
      Build{"l summed in bf16", Fault::sum_in_bf16},
      Build{"acc rounded to bf16 at each tile", Fault::values_in_bf16_at_tiles},
      Build{"reciprocal with 12 bits", Fault::reciprocal_12_bits},
      Build{"parts merged without their sums", Fault::parts_ignore_sums},
      Build{"last key skipped below 1e-3", Fault::light_last_key_skipped},
      Build{"maximum starts at 0", Fault::maximum_from_0},
      Build{"no maximum subtracted", Fault::no_maximum},
      Build{"empty row gives the mean of V", Fault::empty_row_mean},
      Build{"output truncated", Fault::output_truncated},
      Build{"exp 4 ulp too large", Fault::exp_biased, 64, false, false},
      Build{"sums truncated", Fault::sums_truncated, 64, false, false},
      Build{"one light key dropped", Fault::light_key_dropped, 64, false, false},
  };
  return list;
}

std::span<const Build> originals() {
  static constexpr std::array list{
      Build{"original"},
      Build{"original, reversed", Fault::none, 64, true},
      Build{"original, tiles of 1", Fault::none, 1},
      Build{"original, tiles of 16", Fault::none, 16},
      Build{"original, tiles of 1024, reversed", Fault::none, 1024, true},
  };
  return list;
}

std::string declared_contract(bool structure) {
  std::string text;
  for (const std::string format : {"f32", "f64", "bf16", "f16"}) {
    const bool low = format == "bf16" || format == "f16";
    text += "contract = detection-" + format + "\nbase = " + format + (low ? "-fused" : "-any") +
            "/1\n[semantics]\nempty_row = zero\nempty_lse = minus_inf\nlse_base = e\nlse_sink = "
            "included\n[arithmetic]\nscale_side = after\nscore_rounds = 0\n"
            "bias_rounds = 0\nconstant_error = 0\nexp_error = 2\nargument_rounds = 1\n"
            "tanh_error = 4\ntanh_absolute = no\nmask_by = exclusion\nshift = exact\n"
            "lazy_rescale = 0\nlate_sink = no\nnorm_first = no\nrenormalises = no\n"
            "merge = none\nlog_error = 2\ndivide_error = 1\nflushes = no\n" +
            (structure ? "dot_lanes = 16\ntile = 64\n" : "dot_lanes = any\ntile = any\n") +
            (low ? "rounds_weight = yes\nsum_of_rounded = no\n" : "") +
            "[limits]\nformats = " + format + "\nalibi = never\n";
  }
  return text;
}

const qkvet_candidate& table_of(const Build& build, bool declared) {
  static const std::string text = declared_contract(true);
  static std::map<std::pair<const Build*, bool>, qkvet_candidate> tables;
  return tables
      .try_emplace({&build, declared},
                   qkvet_candidate{sizeof(qkvet_candidate), QKVET_ABI, build.name, "1",
                                   declared ? text.c_str() : nullptr, nullptr, forward,
                                   const_cast<Build*>(&build)})
      .first->second;
}

}  // namespace detection
