// The steps of PyTorch's math path, one query row at a time: q and k times the root of the scale,
// product, softcap, biases, softmax, weighted sum; what a step hands on is rounded to `Stored`.
#include <cmath>
#include <limits>
#include <qkvet/kernels/args.hpp>
#include <qkvet/kernels/low.hpp>
#include <qkvet/kernels/naive/unfused.hpp>
#include <vector>

namespace qkvet::kernels {
namespace {

template <class Stored>
class Unfused {
 public:
  explicit Unfused(const qkvet_args& args)
      : args_(args), dims_(dims_of(args)), q_(*args.q), k_(*args.k), v_(*args.v), o_(*args.o) {
    root_ = static_cast<float>(std::sqrt(std::fabs(args.scale)));
  }

  void run() {
    for (std::int64_t b = 0; b < dims_.B; ++b) {
      for (std::int64_t h = 0; h < dims_.H_q; ++h) {
        for (std::int64_t i = 0; i < dims_.L; ++i) row(b, h, i);
      }
    }
  }

 private:
  /// What the next step reads back.
  [[nodiscard]] static float stored(float x) { return wide(narrow<Stored>(x)); }

  void row(std::int64_t b, std::int64_t h, std::int64_t i) {
    const std::int64_t g = h / (dims_.H_q / dims_.H_kv);
    scores(b, h, g, i);
    const float lse = softmax(static_cast<float>(sink_of(args_, h)));
    for (std::int64_t d = 0; d < dims_.d_v; ++d) {
      float sum = 0;
      for (std::size_t n = 0; n < keys_.size(); ++n) {
        sum += values_[n] * wide(v_(b, g, keys_[n], d));
      }
      o_(b, h, i, d) = narrow<Stored>(sum);
    }
    if (args_.lse != nullptr) View<float> (*args_.lse)(b, h, i) = lse;
  }

  /// Scores of the visible keys, in order.
  void scores(std::int64_t b, std::int64_t h, std::int64_t g, std::int64_t i) {
    const RowMask mask(args_, b, h, i);
    const float signed_root = args_.scale < 0 ? -root_ : root_;
    const bool biased =
        args_.alibi_slopes != nullptr || (args_.mask != nullptr && args_.mask->bias != nullptr);
    keys_.clear();
    values_.clear();
    for (std::int64_t j = mask.first(); j < mask.last(); ++j) {
      if (!mask.visible(j)) continue;
      float dot = 0;
      for (std::int64_t c = 0; c < dims_.d_k; ++c) {
        dot += stored(wide(q_(b, h, i, c)) * signed_root) * stored(wide(k_(b, g, j, c)) * root_);
      }
      float x = stored(dot);
      if (args_.softcap > 0) {
        const auto cap = static_cast<float>(args_.softcap);
        x = stored(cap * std::tanh(x / cap));
      }
      if (biased) x = stored(static_cast<float>(static_cast<double>(x) + mask.bias(j)));
      keys_.push_back(j);
      values_.push_back(x);
    }
  }

  /// values = weights, normalised in f32 and then stored; returns the log of the sum of
  /// exponentials. A NaN score stays out of the maximum and comes back through the sum.
  float softmax(float sink) {
    float maximum = sink;
    for (const float x : values_) maximum = x > maximum ? x : maximum;
    if (values_.empty()) return maximum;
    const bool has_sink = !(std::isinf(sink) && sink < 0);
    float sum = has_sink ? std::exp(sink - maximum) : 0.0F;
    for (float& x : values_) {
      x = std::exp(x - maximum);
      sum += x;
    }
    for (float& x : values_) x = stored(x / sum);
    return maximum + std::log(sum);
  }

  const qkvet_args& args_;
  Dims dims_;
  View<const Stored> q_, k_, v_;
  View<Stored> o_;
  float root_;
  std::vector<std::int64_t> keys_;  ///< visible ones
  std::vector<float> values_;       ///< their scores, then their weights
};

}  // namespace

int unfused(const qkvet_args& args, qkvet_error* why) {
  const qkvet_dtype stored = args.q->dtype;
  const int status = accept(args, stored, why);
  if (status != QKVET_OK) return status;
  if (same(stored, bf16)) {
    Unfused<BF16>(args).run();
  } else {
    Unfused<F16>(args).run();
  }
  return QKVET_OK;
}

}  // namespace qkvet::kernels
