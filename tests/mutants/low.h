// The kernel of base.h for bf16 and f16, in the manner of FlashAttention: f32 inside, weights
// rounded to the storage format before P V, one rounding at the end. The unmutated one is
// correct_low.cpp.
#pragma once

#include "base.h"

namespace mutant {

struct Low : Base {
  using Base::Base;

  [[nodiscard]] bool is_bf16() const { return a.q->dtype.code == QKVET_BFLOAT; }
  static std::uint16_t bf16_bits(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    if (std::isnan(x)) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
    return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
  }
  static float to_bf16(float x) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bf16_bits(x)) << 16);
  }
  static float to_f16(float x) { return static_cast<float>(static_cast<_Float16>(x)); }
  /// Rounded to the storage format.
  [[nodiscard]] float low(float x) const { return is_bf16() ? to_bf16(x) : to_f16(x); }

  float element(const qkvet_tensor* t, Int x, Int y, Int z, Int w) {
    const Int* s = t->strides;
    return low_number(t, x * s[0] + y * s[1] + z * s[2] + w * s[3]);
  }
  float q(Int b, Int h, Int i, Int c) override { return element(a.q, b, h, i, c); }
  float k(Int b, Int g, Int j, Int c) override { return element(a.k, b, g, j, c); }
  float v(Int b, Int g, Int j, Int d) override { return element(a.v, b, g, j, d); }

  /// A weight as it enters P V.
  virtual float held(float weight) { return low(weight); }
  void add_key(State& s, float weight, bool shown, Int b, Int h, Int j) override {
    s.sum += weight;
    if (!shown && !(weight > 0)) return;
    for (Int d = 0; d < d_v; ++d) {
      s.values[static_cast<std::size_t>(d)] += held(weight) * v(b, kv_head(h), j, d);
    }
  }
  virtual std::uint16_t stored(float x) {
    return is_bf16() ? bf16_bits(x) : std::bit_cast<std::uint16_t>(static_cast<_Float16>(x));
  }
  void store(Int b, Int h, Int i, Int d, float x) override {
    const Int* s = a.o->strides;
    const char* place = at(a.o, b * s[0] + h * s[1] + i * s[2] + d * s[3]);
    const_cast<std::uint16_t&>(*reinterpret_cast<const std::uint16_t*>(place)) = stored(x);
  }
};

/// The same in three parts of the keys, merged by their LSEs.
struct LowParts : Low {
  using Low::Low;
  virtual float part_lse(const State& s) {
    return s.sum > 0 ? shift(s.maximum) + std::log(s.sum) : -infinity;
  }
  virtual float merged(float sum, float term) { return sum + term; }
  void row(Int b, Int h, Int i) override {
    const Int size = std::max<Int>(1, (S + 2) / 3);
    State all;
    all.values.assign(static_cast<std::size_t>(d_v), 0.0F);
    for (Int p = 0; p < 3; ++p) {
      State s;
      begin(s, h);
      if (p > 0) s.maximum = -infinity;  // the sink belongs to the first part
      if (p > 0) s.sum = 0;
      for (Int j = std::min(p * size, S); j < std::min((p + 1) * size, S); j += tile) {
        end_ = std::min((p + 1) * size, S);
        add_tile(s, b, h, i, j);
      }
      if (!s.empty) all.empty = false;
      merge(all, s);
    }
    for (Int d = 0; d < d_v; ++d) store(b, h, i, d, output(all, d));
    if (!a.lse) return;
    const Int* t = a.lse->strides;
    const char* place = at(a.lse, b * t[0] + h * t[1] + i * t[2]);
    const_cast<float&>(*reinterpret_cast<const float*>(place)) = lse(all, h);
  }
  Int keys() override { return end_; }

 private:
  void merge(State& all, const State& part) {
    if (!(part.sum > 0) && !std::isnan(part.sum)) return;
    const float lse = part_lse(part), top = std::max(all.maximum, lse);
    const float by = shift(top), weight = std::exp(lse - by);
    rescale(all, all.maximum > -infinity ? std::exp(all.maximum - by) : 0.0F);
    all.maximum = top;
    all.sum += weight;
    for (std::size_t d = 0; d < all.values.size(); ++d) {
      all.values[d] = merged(all.values[d], weight * (part.values[d] / part.sum));
    }
  }
  Int end_ = 0;
};

template <class Kernel>
int forward_low(void*, const qkvet_args* args, qkvet_error*) {
  if (args->q->dtype.bits != 16) return QKVET_UNSUPPORTED;
  Kernel(*args).run();
  return QKVET_OK;
}

}  // namespace mutant

#define QKVET_LOW_CONTRACT(format)                                       \
  "contract = mutant-" format "\nbase = " format                         \
  "-fused/1\n"                                                           \
  "[semantics]\nempty_row = zero\nempty_lse = minus_inf\nlse_base = e\n" \
  "lse_sink = included\ncap_order = cap_then_bias\n"                     \
  "[limits]\nformats = " format "\n[promises]\ndeterministic = yes\nselection = yes\n"

#define QKVET_LOW_TABLE(Kernel, contracts)                                        \
  extern "C" QKVET_EXPORT const qkvet_candidate* qkvet_candidate_v1(void) {       \
    static const qkvet_candidate table = {                                        \
        sizeof(qkvet_candidate),     QKVET_ABI, #Kernel, "1", contracts, nullptr, \
        mutant::forward_low<Kernel>, nullptr};                                    \
    return &table;                                                                \
  }
// What every low mutant claims: a fused kernel in its format that leaves hidden keys unread.
#define QKVET_LOW_MUTANT(Kernel) \
  QKVET_LOW_TABLE(Kernel, QKVET_LOW_CONTRACT("bf16") QKVET_LOW_CONTRACT("f16"))
#define QKVET_F16_MUTANT(Kernel) QKVET_LOW_TABLE(Kernel, QKVET_LOW_CONTRACT("f16"))
