// softmax(scale q k^T + mask) v as written, one query row at a time, in the precision of its
// contract.
#include <cmath>
#include <limits>
#include <new>
#include <qkvet/kernels/args.hpp>
#include <qkvet/kernels/naive/naive.hpp>
#include <qkvet/kernels/naive/unfused.hpp>
#include <vector>

namespace qkvet::kernels {
namespace {

/// One visible key of a row: its number and its score, later its weight.
template <class T>
struct Entry {
  std::int64_t key;
  T value;
};

template <class T>
class Naive {
 public:
  explicit Naive(const qkvet_args& args)
      : args_(args), dims_(dims_of(args)), q_(*args.q), k_(*args.k), v_(*args.v), o_(*args.o) {}

  void run() {
    for (std::int64_t b = 0; b < dims_.B; ++b) {
      for (std::int64_t h = 0; h < dims_.H_q; ++h) {
        for (std::int64_t i = 0; i < dims_.L; ++i) row(b, h, i);
      }
    }
  }

 private:
  void row(std::int64_t b, std::int64_t h, std::int64_t i) {
    const std::int64_t g = h / (dims_.H_q / dims_.H_kv);
    scores(b, h, g, i);
    const T lse = softmax(static_cast<T>(sink_of(args_, h)));
    weighted_sum(b, h, g, i);
    if (args_.lse != nullptr) View<T> (*args_.lse)(b, h, i) = lse;
  }

  /// entries = scale * q . k_j, capped, plus the biases, for every visible key j in order.
  void scores(std::int64_t b, std::int64_t h, std::int64_t g, std::int64_t i) {
    const RowMask mask(args_, b, h, i);
    entries_.clear();
    for (std::int64_t j = mask.first(); j < mask.last(); ++j) {
      if (!mask.visible(j)) continue;
      T dot = 0;
      for (std::int64_t c = 0; c < dims_.d_k; ++c) dot += q_(b, h, i, c) * k_(b, g, j, c);
      const T x = capped(static_cast<T>(args_.scale) * dot);
      entries_.push_back({j, static_cast<T>(static_cast<double>(x) + mask.bias(j))});
    }
  }

  [[nodiscard]] T capped(T x) const {
    if (!(args_.softcap > 0)) return x;
    const T cap = static_cast<T>(args_.softcap);
    return cap * std::tanh(x / cap);
  }

  /// Scores become weights that sum to 1 together with the sink's; returns the log of the sum of
  /// exponentials. A NaN score stays out of the maximum and comes back through the sum.
  T softmax(T sink) {
    T maximum = sink;
    for (const Entry<T>& entry : entries_) maximum = entry.value > maximum ? entry.value : maximum;
    const bool has_sink = !(std::isinf(sink) && sink < 0);
    if (entries_.empty()) return maximum;
    T sum = has_sink ? std::exp(sink - maximum) : T(0);
    for (Entry<T>& entry : entries_) {
      entry.value = std::exp(entry.value - maximum);
      sum += entry.value;
    }
    for (Entry<T>& entry : entries_) entry.value /= sum;
    return maximum + std::log(sum);
  }

  void weighted_sum(std::int64_t b, std::int64_t h, std::int64_t g, std::int64_t i) {
    for (std::int64_t d = 0; d < dims_.d_v; ++d) {
      T sum = 0;
      for (const Entry<T>& entry : entries_) sum += entry.value * v_(b, g, entry.key, d);
      o_(b, h, i, d) = sum;
    }
  }

  const qkvet_args& args_;
  Dims dims_;
  View<const T> q_, k_, v_;
  View<T> o_;
  std::vector<Entry<T>> entries_;
};

template <class T>
int forward_in(const qkvet_args& args, qkvet_dtype stored, qkvet_error* why) {
  const int status = accept(args, stored, why);
  if (status == QKVET_OK) Naive<T>(args).run();
  return status;
}

int forward(void*, const qkvet_args* args, qkvet_error* why) {
  try {
    const qkvet_dtype stored = args->q->dtype;
    if (same(stored, f16) || same(stored, bf16)) return unfused(*args, why);
    return same(stored, f64) ? forward_in<double>(*args, f64, why)
                             : forward_in<float>(*args, f32, why);
  } catch (const std::bad_alloc&) {
    return refuse(QKVET_FAILED, "out of memory", why);
  }
}

// exp and log of glibc are within 1 ulp, tanh within 3; hidden keys are skipped, so nothing in them
// matters.
#define QKVET_NAIVE_MEANING                                                                   \
  "[semantics]\nempty_row = zero\nempty_lse = minus_inf\nlse_base = e\nlse_sink = included\n" \
  "cap_order = cap_then_bias\nvisible_nan = due\n"
#define QKVET_NAIVE_PROMISES                                                                   \
  "[promises]\ndeterministic = yes\nbatch = yes\nrow = yes\ncolumns = yes\npadding = yes\n"    \
  "channels = yes\ngroups = yes\nlayout = yes\nthreads = yes\nsplits = yes\nselection = yes\n" \
  "mask_forms = yes\nexact_one = yes\nweights_from_scores = yes\n"
// The root of the scale that low formats are multiplied with is not symmetric in powers of two.
#define QKVET_NAIVE_SYMMETRIC "symmetric = yes\n"
#define QKVET_NAIVE_LOW                                                                  \
  "[arithmetic]\nbias_rounds = 0\nconstant_error = 2\ntanh_error = 6\ntanh_absolute = no\n" \
  "mask_by = exclusion\nflushes = no\n"

constexpr const char* contract_text =
    "contract = naive-f32\nbase = f32-ieee/1\n" QKVET_NAIVE_MEANING
    "[arithmetic]\ntanh_error = 6\nnorm_first = yes\n" QKVET_NAIVE_PROMISES QKVET_NAIVE_SYMMETRIC
    "contract = naive-f64\nbase = f64-ref/1\n" QKVET_NAIVE_MEANING
    "[arithmetic]\ntanh_error = 6\nbias_rounds = 2\nnorm_first = yes\n" QKVET_NAIVE_PROMISES QKVET_NAIVE_SYMMETRIC
    "contract = naive-bf16\nbase = bf16-math/1\n" QKVET_NAIVE_MEANING QKVET_NAIVE_LOW
        QKVET_NAIVE_PROMISES
    "contract = naive-f16\nbase = f16-math/1\n" QKVET_NAIVE_MEANING QKVET_NAIVE_LOW
        QKVET_NAIVE_PROMISES;

}  // namespace

const qkvet_candidate& naive() {
  static constexpr qkvet_candidate table{sizeof(qkvet_candidate), QKVET_ABI, "naive", "1",
                                         contract_text,           nullptr,   forward, nullptr};
  return table;
}

}  // namespace qkvet::kernels
