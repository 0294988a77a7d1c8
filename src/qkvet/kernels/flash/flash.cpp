// Tiled attention with an online softmax: the loop over tiles, loading, masking and storing. The
// arithmetic is in tile.cpp.
#include <algorithm>
#include <cmath>
#include <limits>
#include <new>
#include <qkvet/kernels/args.hpp>
#include <qkvet/kernels/flash/flash.hpp>
#include <qkvet/kernels/flash/tile.hpp>
#include <qkvet/kernels/low.hpp>
#include <vector>

namespace qkvet::kernels {
namespace {

/// `Stored`: float, F16 or BF16. Everything inside is f32.
template <class Stored>
class Flash {
 public:
  explicit Flash(const qkvet_args& args)
      : args_(args),
        dims_(dims_of(args)),
        q_(*args.q),
        k_(*args.k),
        v_(*args.v),
        o_(*args.o),
        tile_(dims_.L, dims_.S, dims_.d_k, dims_.d_v),
        state_(dims_.d_v) {}

  void run() {
    for (std::int64_t b = 0; b < dims_.B; ++b) {
      for (std::int64_t h = 0; h < dims_.H_q; ++h) {
        for (std::int64_t i = 0; i < dims_.L; i += tile_rows) query_tile(b, h, i);
      }
    }
  }

 private:
  void query_tile(std::int64_t b, std::int64_t h, std::int64_t first_row) {
    begin(b, h, first_row);
    std::int64_t first = dims_.S;
    std::int64_t last = 0;
    for (const RowMask& mask : masks_) {
      if (mask.first() >= mask.last()) continue;
      first = std::min(first, mask.first());
      last = std::max(last, mask.last());
    }
    // Tiles begin at multiples of tile_keys whatever the mask: a row's bits do not depend on its
    // mates.
    for (std::int64_t j = first - first % tile_keys; j < last; j += tile_keys) {
      load_keys(b, h / (dims_.H_q / dims_.H_kv), j);
      product_step(tile_, static_cast<float>(args_.scale));
      if (args_.softcap > 0) cap_step(tile_, static_cast<float>(args_.softcap));
      mask_step(j);
      softmax_step(tile_, state_);
      value_step(tile_, state_);
    }
    store(b, h, first_row);
  }

  /// Loads the queries; the sink, if any, is a first key with V = 0.
  void begin(std::int64_t b, std::int64_t h, std::int64_t first_row) {
    tile_.rows = std::min(tile_rows, dims_.L - first_row);
    masks_.clear();
    for (std::int64_t r = 0; r < tile_.rows; ++r) {
      float* query = tile_.q.data() + r * dims_.d_k;
      load(q_.line(b, h, first_row + r), dims_.d_k, query);
      masks_.emplace_back(args_, b, h, first_row + r);
    }
    const float sink = static_cast<float>(sink_of(args_, h));
    const bool has_sink = !(std::isinf(sink) && sink < 0);
    std::fill(state_.maximum.begin(), state_.maximum.end(), sink);
    std::fill(state_.sum.begin(), state_.sum.end(), has_sink ? 1.0F : 0.0F);
    std::fill(state_.values.begin(), state_.values.end(), 0.0F);
    seen_.assign(static_cast<std::size_t>(tile_rows), 0);
  }

  static void load(const Strided<const Stored>& line, std::int64_t count, float* to) {
    for (std::int64_t n = 0; n < count; ++n) to[n] = wide(line[n]);
  }

  void load_keys(std::int64_t b, std::int64_t g, std::int64_t first_key) {
    tile_.keys = std::min(tile_keys, dims_.S - first_key);
    for (std::int64_t j = 0; j < tile_.keys; ++j) {
      load(k_.line(b, g, first_key + j), dims_.d_k, tile_.k.data() + j * dims_.d_k);
      load(v_.line(b, g, first_key + j), dims_.d_v, tile_.v.data() + j * dims_.d_v);
    }
  }

  /// Adds the biases and notes which keys each row sees.
  void mask_step(std::int64_t first_key) {
    for (std::int64_t r = 0; r < tile_.rows; ++r) {
      const RowMask& mask = masks_[static_cast<std::size_t>(r)];
      for (std::int64_t j = 0; j < tile_.keys; ++j) {
        const auto place = static_cast<std::size_t>(tile_.at(r, j));
        const bool visible = mask.visible(first_key + j);
        tile_.shown[place] = visible ? 1 : 0;
        if (!visible) continue;
        seen_[static_cast<std::size_t>(r)] = 1;
        float& score = tile_.scores[place];
        score = static_cast<float>(static_cast<double>(score) + mask.bias(first_key + j));
      }
    }
  }

  /// O = values / sum; a row without a visible key is zero, its LSE the sink or -inf.
  void store(std::int64_t b, std::int64_t h, std::int64_t first_row) {
    for (std::int64_t r = 0; r < tile_.rows; ++r) {
      const auto row = static_cast<std::size_t>(r);
      const bool empty = seen_[row] == 0;
      const float* values = state_.values.data() + r * dims_.d_v;
      const Strided<Stored> output = o_.line(b, h, first_row + r);
      for (std::int64_t d = 0; d < dims_.d_v; ++d) {
        output[d] = narrow<Stored>(empty ? 0.0F : values[d] / state_.sum[row]);
      }
      if (args_.lse == nullptr) continue;
      View<float> (*args_.lse)(b, h, first_row + r) =
          empty ? state_.maximum[row] : state_.maximum[row] + std::log(state_.sum[row]);
    }
  }

  const qkvet_args& args_;
  Dims dims_;
  View<const Stored> q_, k_, v_;
  View<Stored> o_;
  Tile tile_;
  State state_;
  std::vector<RowMask> masks_;
  std::vector<std::uint8_t> seen_;  // per row: a key was visible
};

template <class Stored>
int forward_in(const qkvet_args& args, qkvet_dtype stored, qkvet_error* why) {
  const int status = accept(args, stored, why);
  if (status == QKVET_OK) Flash<Stored>(args).run();
  return status;
}

int forward(void*, const qkvet_args* args, qkvet_error* why) {
  try {
    if (same(args->q->dtype, f16)) return forward_in<F16>(*args, f16, why);
    if (same(args->q->dtype, bf16)) return forward_in<BF16>(*args, bf16, why);
    return forward_in<float>(*args, f32, why);
  } catch (const std::bad_alloc&) {
    return refuse(QKVET_FAILED, "out of memory", why);
  }
}

// Rows, batches and columns never meet and tiles lie at multiples of tile_keys whatever the mask;
// hidden keys are skipped. A key or channel put in the middle moves its neighbours to other tiles
// and lanes, so the bits of padding and channels are not promised.
#define QKVET_FLASH_MEANING                                                                   \
  "[semantics]\nempty_row = zero\nempty_lse = minus_inf\nlse_base = e\nlse_sink = included\n" \
  "cap_order = cap_then_bias\nvisible_nan = due\n"
#define QKVET_FLASH_PROMISES                                                                   \
  "[promises]\ndeterministic = yes\nbatch = yes\nrow = yes\ncolumns = yes\ngroups = yes\n"    \
  "layout = yes\nthreads = yes\nsplits = yes\nselection = yes\nmask_forms = yes\n"            \
  "symmetric = yes\nexact_one = yes\nweights_from_scores = yes\n"
// The structure of f32-flash, and weights that are never rounded.
#define QKVET_FLASH_LOW                                                                        \
  "[arithmetic]\ndot_lanes = 16\nbias_rounds = 0\nconstant_error = 2\ntanh_error = 6\n"        \
  "tanh_absolute = no\nmask_by = exclusion\nshift = exact\nlazy_rescale = 0\nlate_sink = no\n" \
  "weight = f32\nrounds_weight = no\ntile = 64\nmerge = none\nflushes = no\n"

constexpr const char* contract_text =
    "contract = flash\nbase = f32-flash/1\n" QKVET_FLASH_MEANING
    "[arithmetic]\ntanh_error = 6\n[limits]\nformats = f32\n" QKVET_FLASH_PROMISES
    "contract = flash-bf16\nbase = bf16-fused/1\n" QKVET_FLASH_MEANING QKVET_FLASH_LOW
    "[limits]\nformats = bf16\n" QKVET_FLASH_PROMISES
    "contract = flash-f16\nbase = f16-fused/1\n" QKVET_FLASH_MEANING QKVET_FLASH_LOW
    "[limits]\nformats = f16\n" QKVET_FLASH_PROMISES;

}  // namespace

const qkvet_candidate& flash() {
  static constexpr qkvet_candidate table{sizeof(qkvet_candidate), QKVET_ABI, "flash", "1",
                                         contract_text,           nullptr,   forward, nullptr};
  return table;
}

}  // namespace qkvet::kernels
