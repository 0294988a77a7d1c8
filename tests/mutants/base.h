// A plain, correct, tiled f32 attention in which every step is a hook: a mutant overrides one of
// them. The unmutated kernel is correct.cpp. Shares no code with the library: it is anybody's
// kernel.
#pragma once

#include <qkvet/candidate/kernel.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace mutant {

using Int = std::int64_t;
constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr Int tile = 8;  // keys per tile: small, so that small cases cross it

inline const char* at(const qkvet_tensor* t, Int offset) {
  return static_cast<const char*>(t->data) + t->byte_offset + offset * t->dtype.bits / 8;
}
/// bf16 is the upper half of a float, f16 is the compiler's.
inline float low_number(const qkvet_tensor* t, Int offset) {
  const auto bits = *reinterpret_cast<const std::uint16_t*>(at(t, offset));
  if (t->dtype.code == QKVET_BFLOAT) return std::bit_cast<float>(std::uint32_t{bits} << 16);
  return static_cast<float>(std::bit_cast<_Float16>(bits));
}
inline double number(const qkvet_tensor* t, Int offset) {
  if (t->dtype.bits == 64) return *reinterpret_cast<const double*>(at(t, offset));
  if (t->dtype.bits == 16) return static_cast<double>(low_number(t, offset));
  return static_cast<double>(*reinterpret_cast<const float*>(at(t, offset)));
}
inline float real(const qkvet_tensor* t, Int a, Int b, Int c, Int d) {
  const Int* s = t->strides;
  return *reinterpret_cast<const float*>(at(t, a * s[0] + b * s[1] + c * s[2] + d * s[3]));
}
/// Offset in a [B|1, H_q|1, L|1, S|1] tensor.
inline Int broadcast(const qkvet_tensor* t, Int b, Int h, Int i, Int j) {
  const Int place[4] = {b, h, i, j};
  Int sum = 0;
  for (int axis = 0; axis < 4; ++axis) {
    if (t->shape[axis] != 1) sum += place[axis] * t->strides[axis];
  }
  return sum;
}

struct State {
  float maximum = -infinity, sum = 0;
  std::vector<float> values;
  bool empty = true;
};

struct Base {
  explicit Base(const qkvet_args& args)
      : a(args),
        m(args.mask),
        B(a.q->shape[0]),
        H_q(a.q->shape[1]),
        H_kv(a.k->shape[1]),
        L(a.q->shape[2]),
        S(a.k->shape[2]),
        d_k(a.q->shape[3]),
        d_v(a.v->shape[3]) {}
  virtual ~Base() = default;
  using Int = mutant::Int;
  using State = mutant::State;

  const qkvet_args& a;
  const qkvet_mask* m;
  Int B, H_q, H_kv, L, S, d_k, d_v;

  // Reading.
  virtual Int kv_head(Int h) { return h / (H_q / H_kv); }
  virtual float q(Int b, Int h, Int i, Int c) { return real(a.q, b, h, i, c); }
  virtual float k(Int b, Int g, Int j, Int c) { return real(a.k, b, g, j, c); }
  virtual float v(Int b, Int g, Int j, Int d) { return real(a.v, b, g, j, d); }
  virtual float sink(Int h) {
    return a.sinks ? static_cast<float>(number(a.sinks, h * a.sinks->strides[0])) : -infinity;
  }

  // Masks.
  virtual Int diagonal(Int b, Int i) { return i + (m ? m->diagonal_offset[b] : 0); }
  virtual bool causal_shows(Int b, Int i, Int j) { return !m || !m->causal || j <= diagonal(b, i); }
  virtual bool window_shows(Int b, Int i, Int j) {
    const Int ahead = j - diagonal(b, i);
    return !m || ((m->window_left < 0 || -ahead <= m->window_left) &&
                  (m->window_right < 0 || ahead <= m->window_right));
  }
  virtual bool range_shows(Int b, Int j) {
    return !m || !m->key_start || (m->key_start[b] <= j && j < m->key_end[b]);
  }
  virtual bool attend(Int b, Int h, Int i, Int j) {
    return *at(m->attend, broadcast(m->attend, b, h, i, j)) != 0;
  }
  virtual double bias(Int b, Int h, Int i, Int j) {
    return m && m->bias ? number(m->bias, broadcast(m->bias, b, h, i, j)) : 0;
  }
  virtual double alibi(Int b, Int h, Int i, Int j) {
    if (!a.alibi_slopes) return 0;
    const double slope = number(a.alibi_slopes, h * a.alibi_slopes->strides[0]);
    return -slope * std::abs(static_cast<double>(diagonal(b, i) - j));
  }
  virtual bool visible(Int b, Int h, Int i, Int j) {
    return causal_shows(b, i, j) && window_shows(b, i, j) && range_shows(b, j) &&
           (!m || !m->attend || attend(b, h, i, j)) &&
           !(std::isinf(bias(b, h, i, j)) && bias(b, h, i, j) < 0);
  }

  // Scores.
  virtual float scale() { return static_cast<float>(a.scale); }
  virtual float dot(Int b, Int h, Int i, Int j) {
    float sum = 0;
    for (Int c = 0; c < d_k; ++c) sum += q(b, h, i, c) * k(b, kv_head(h), j, c);
    return sum;
  }
  virtual float capped(float x) {
    const float cap = static_cast<float>(a.softcap);
    return cap > 0 ? cap * std::tanh(x / cap) : x;
  }
  virtual float score(Int b, Int h, Int i, Int j) {
    const double x = static_cast<double>(capped(scale() * dot(b, h, i, j)));
    return static_cast<float>(x + (bias(b, h, i, j) + alibi(b, h, i, j)));
  }
  virtual float hidden_score(Int, Int, Int, Int) { return -infinity; }

  // Softmax, tile by tile.
  virtual Int keys() { return S; }
  virtual float first_maximum() { return -infinity; }
  virtual float shift(float maximum) { return maximum > -infinity ? maximum : 0; }
  virtual float exp(float x) { return std::exp(x); }
  virtual void rescale(State& s, float alpha) {
    s.sum *= alpha;
    for (float& value : s.values) value *= alpha;
  }
  virtual void add_key(State& s, float weight, bool shown, Int b, Int h, Int j) {
    s.sum += weight;
    if (!shown && !(weight > 0)) return;  // hidden keys are not read
    for (Int d = 0; d < d_v; ++d) {
      s.values[static_cast<std::size_t>(d)] += weight * v(b, kv_head(h), j, d);
    }
  }
  virtual void add_tile(State& s, Int b, Int h, Int i, Int first) {
    const Int n = std::min(tile, keys() - first);
    float scores[tile];
    bool shown[tile];
    float maximum = s.maximum;
    for (Int j = 0; j < n; ++j) {
      shown[j] = visible(b, h, i, first + j);
      if (shown[j]) s.empty = false;
      scores[j] = shown[j] ? score(b, h, i, first + j) : hidden_score(b, h, i, first + j);
      if (scores[j] > maximum) maximum = scores[j];
    }
    const float by = shift(maximum);
    rescale(s, s.maximum > -infinity ? exp(shift(s.maximum) - by) : 0.0F);
    s.maximum = maximum;
    for (Int j = 0; j < n; ++j) add_key(s, exp(scores[j] - by), shown[j], b, h, first + j);
  }
  virtual void begin(State& s, Int h) {
    s.maximum = std::max(first_maximum(), sink(h));
    if (sink(h) > -infinity) s.sum = exp(sink(h) - shift(s.maximum));
    s.values.assign(static_cast<std::size_t>(d_v), 0.0F);
  }

  // Output.
  virtual float output(const State& s, Int d) {
    return s.empty ? 0 : s.values[static_cast<std::size_t>(d)] / s.sum;
  }
  virtual float lse(const State& s, Int h) {
    return s.empty ? sink(h) : shift(s.maximum) + std::log(s.sum);
  }
  virtual void store(Int b, Int h, Int i, Int d, float x) {
    const_cast<float&>(*reinterpret_cast<const float*>(
        at(a.o, b * a.o->strides[0] + h * a.o->strides[1] + i * a.o->strides[2] +
                    d * a.o->strides[3]))) = x;
  }
  virtual void row(Int b, Int h, Int i) {
    State s;
    begin(s, h);
    for (Int j = 0; j < keys(); j += tile) add_tile(s, b, h, i, j);
    for (Int d = 0; d < d_v; ++d) store(b, h, i, d, output(s, d));
    if (a.lse) {
      const Int* t = a.lse->strides;
      const_cast<float&>(
          *reinterpret_cast<const float*>(at(a.lse, b * t[0] + h * t[1] + i * t[2]))) = lse(s, h);
    }
  }
  virtual void head(Int b, Int h) {
    for (Int i = 0; i < L; ++i) row(b, h, i);
  }
  virtual void run() {
    for (Int b = 0; b < B; ++b) {
      for (Int h = 0; h < H_q; ++h) head(b, h);
    }
  }
};

template <class Kernel>
int forward(void*, const qkvet_args* args, qkvet_error*) {
  if (args->q->dtype.bits != 32) return QKVET_UNSUPPORTED;
  Kernel(*args).run();
  return QKVET_OK;
}

}  // namespace mutant

// What every mutant claims: a careful IEEE f32 kernel that leaves hidden keys unread; with more
// lines of [arithmetic] or [promises] where it differs.
#define QKVET_MUTANT_WITH(Kernel, arithmetic, promises)                        \
  extern "C" QKVET_EXPORT const qkvet_candidate* qkvet_candidate_v1(void) {    \
    static const qkvet_candidate table = {                                     \
        sizeof(qkvet_candidate),                                               \
        QKVET_ABI,                                                             \
        #Kernel,                                                               \
        "1",                                                                   \
        "contract = mutant\nbase = f32-ieee/1\n"                               \
        "[semantics]\nempty_row = zero\nempty_lse = minus_inf\nlse_base = e\n" \
        "lse_sink = included\ncap_order = cap_then_bias\nvisible_nan = due\n"  \
        "[arithmetic]\ntanh_error = 6\n" arithmetic                            \
        "[limits]\nformats = f32\n"                                            \
        "[promises]\ndeterministic = yes\nselection = yes\n" promises,         \
        nullptr,                                                               \
        mutant::forward<Kernel>,                                               \
        nullptr};                                                              \
    return &table;                                                             \
  }
#define QKVET_MUTANT(Kernel) QKVET_MUTANT_WITH(Kernel, "", "")
