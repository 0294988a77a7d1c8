// One attention problem, complete for the dense forward pass: plain data that knows nothing of
// kernels, tolerances or properties.
#pragma once

#include <cstdint>
#include <optional>
#include <qkvet/problem/tensor.hpp>
#include <string>
#include <vector>

namespace qkvet {

/// Where the diagonal lies: for query i of batch entry b it is key i + offset(b). Causal, window
/// and ALiBi all speak of this one diagonal.
struct Diagonal {
  enum class Kind : std::uint8_t {
    top_left,      ///< offset 0
    bottom_right,  ///< offset = (end of the entry's key range, or S) - L
    fixed,         ///< offsets[b], or offsets[0] for every entry
  };
  Kind kind = Kind::top_left;
  std::vector<std::int64_t> offsets;  ///< kind fixed only: one number, or B of them

  bool operator==(const Diagonal&) const = default;
};

/// Keys j with diagonal - left <= j <= diagonal + right are visible; absent means no limit.
struct Window {
  std::optional<std::int64_t> left, right;

  bool operator==(const Window&) const = default;
};

/// Visible keys of batch entry b: start[b] <= j < end[b]; both within [0, S], one entry per b.
struct KeyRange {
  std::vector<std::int64_t> start, end;

  bool operator==(const KeyRange&) const = default;
};

/// A boolean mask [B|1, H_q|1, L|1, S|1] of bytes: any nonzero one means *attend*. Extents of 1
/// broadcast.
struct BoolMask {
  std::array<std::int64_t, 4> extents{1, 1, 1, 1};
  std::vector<std::uint8_t> attend;

  bool operator==(const BoolMask&) const = default;
};

/// The parts of a mask; a key is visible if every part shows it. `bias` is added to the scores; a
/// bias of -inf also hides its key (see Semantics::cap_order for the one exception).
struct MaskSpec {
  bool causal = false;
  Diagonal diagonal;
  std::optional<Window> window;
  std::optional<KeyRange> key_range;
  std::optional<BoolMask> attend;
  std::optional<Tensor> bias;  ///< [B|1, H_q|1, L|1, S|1], in a Format of its own

  bool operator==(const MaskSpec&) const = default;
};

/// Layouts per tensor, absent = contiguous and aligned.
struct Layouts {
  Layout q, k, v, o, lse, attend, bias;

  bool operator==(const Layouts&) const = default;
};

/// What a call asks of the candidate beside the mathematics: values may depend on it by rounding only.
struct CallOptions {
  std::int32_t threads = 0;  ///< wanted number of threads, 0 = the candidate's choice
  std::int32_t splits = 0;   ///< wanted number of parts of the keys, 0 = the candidate's choice

  bool operator==(const CallOptions&) const = default;
};

/// softmax(cap(scale * q k^T) + bias) v with masks, grouped heads, sinks and ALiBi.
struct Problem {
  Shape shape;
  Format format = Format::binary32;  ///< of q, k, v
  Tensor q, k, v;                    ///< [B,H_q,L,d_k], [B,H_kv,S,d_k], [B,H_kv,S,d_v]
  MaskSpec mask;
  std::optional<double> scale;  ///< absent: the exact 1/sqrt(d_k)
  double softcap = 0;           ///< 0 = none, else cap * tanh(x / cap), finite and > 0
  std::optional<Tensor> sinks;  ///< [H_q,1,1,1] logits of one more key with V = 0; -inf = none
  std::optional<Tensor> alibi_slopes;  ///< [H_q,1,1,1]: bias -slope * |i + offset - j|
  bool want_lse = false;
  Layouts layouts;
  CallOptions call;

  [[nodiscard]] bool operator==(const Problem& other) const;  ///< as bits, layouts included
};

/// Throws InputError(bad_data) naming the field unless every invariant above holds: extents, sizes
/// (checked multiplication, at most 2^28 elements a tensor), H_kv | H_q, ranges with start <= end,
/// formats, a scale that is present when d_k = 0, layouts whose elements do not
/// overlap (outputs) or agree (inputs).
void validate(const Problem& problem);

/// The part of `validate` that speaks of the shape alone: nothing is allocated before it has
/// passed.
void validate(const Shape& shape);

/// The scale as a double, rounded once: what the ABI hands over.
[[nodiscard]] double scale_value(const Problem& problem);

/// Offset of the diagonal for batch entry b, resolved to a number.
[[nodiscard]] std::int64_t diagonal_offset(const Problem& problem, std::int64_t b);

/// The reference's reading of the masks: does query i of (b, h) see key j? -inf biases hide.
/// Used by the definition and by properties; kernels and Arb have their own reading.
[[nodiscard]] bool visible(const Problem& problem, std::int64_t b, std::int64_t h, std::int64_t i,
                           std::int64_t j);

/// As `visible`, but the additive bias is not asked.
[[nodiscard]] bool visible_without_bias(const Problem& problem, std::int64_t b, std::int64_t h,
                                        std::int64_t i, std::int64_t j);

/// The value of the additive bias tensor at (b, h, i, j), broadcast; 0 without one. ALiBi not
/// included.
[[nodiscard]] double bias_value(const Problem& problem, std::int64_t b, std::int64_t h,
                                std::int64_t i, std::int64_t j);

/// True if some part of the problem measures from the diagonal: causal, window or ALiBi.
[[nodiscard]] bool uses_diagonal(const Problem& problem);

/// True if some row sees no key (a -inf bias hides).
[[nodiscard]] bool has_empty_row(const Problem& problem);

/// True if the row has a sink that counts (present and not -inf).
[[nodiscard]] bool has_sink(const Problem& problem, std::int64_t h);

/// A short stable digest of every field (16 hex digits): file name, pytest id, seed of plans.
[[nodiscard]] std::string digest(const Problem& problem);

/// `fix`: every diagonal becomes integer offsets per batch entry (relations.md rule 5).
[[nodiscard]] Problem fix(const Problem& problem);

/// `explicit`: fix, then causal, window and key range become one boolean mask [B,H_q,L,S]
/// and ALiBi a bias [B,H_q,L,S] in binary64. `exact` is false if adding ALiBi to a bias rounded.
struct Explicit {
  Problem problem;
  bool exact = true;
};
[[nodiscard]] Explicit make_explicit(const Problem& problem);

}  // namespace qkvet
