// What the bound knows of one row: per visible key the error of its score and the range of its
// weight, and the sums over keys that every column shares. Columns, LSE and explanations all work
// from this.
#pragma once

#include <array>
#include <optional>
#include <qkvet/bound/letters.hpp>
#include <qkvet/contract/contract.hpp>
#include <qkvet/oracle/enclosure.hpp>
#include <qkvet/problem/problem.hpp>
#include <string>
#include <vector>

namespace qkvet::bound {

/// The named parts of a weight's exponent error d_j.
enum class Part : std::uint8_t {
  dot,
  scale,
  cap,
  add,
  store,
  constant,
  underflow,
  argument,
  exp,
  merge
};
inline constexpr std::size_t part_count = 10;

using Parts = std::array<Mag, part_count>;
[[nodiscard]] inline Mag& at(Parts& parts, Part part) {
  return parts[static_cast<std::size_t>(part)];
}

/// Facts of the row that score errors need.
struct RowFacts {
  Mag scale, scale_root;  ///< |sigma|, sqrt |sigma|
  double scale_low = 0;   ///< a lower bound of |sigma|
  Mag scale_lost;  ///< relative: a scale that the score format cannot hold as a normal number
  Mag Q1, q_max;
  bool centred = false;     ///< no sink: a relative error common to all scores acts on x - mean x
  Interval mean_x, mean_s;  ///< sum of p x, sum of p s
  bool cap_last = false;    ///< softcap after the bias
  double cap = 0;           ///< 0 = none
  Mag cap_rounds;           ///< 1 if the score format must round the cap
  Mag cap_lost;             ///< relative: a cap whose reciprocal is subnormal
  int biases = 0;           ///< additive tensors on the score: bias, ALiBi
  Mag bias_rounds;          ///< roundings of a bias value before it is added
  bool bias_low = false;    ///< the bias tensor is wider than the format of stored scores
  bool slope_low = false;   ///< so are the slopes
  bool sink_low = false;    ///< so are the sinks
  double origin = 0;        ///< B0, exact or 0 (see alibi_origin)
};

struct KeyBound {
  std::int64_t key = 0;
  bool sink = false;
  Interval s, p;
  Parts parts;            ///< of d; their sum is d
  Mag delta;              ///< |computed score - s|, common relative errors centred
  bool vanishes = false;  ///< a stored score may fall to -infinity: the weight may be 0
  bool overflows = false;  ///< a stored score may become +infinity
  Mag x_constant;         ///< what replaces parts[constant] where nothing cancels (LSE)
  Mag d, d_lse;           ///< exponent error of the weight; the same for the LSE
  double rescales = 0;    ///< R_j
  double hi = 0, lo = 0;  ///< range of the normalised computed weight
  Mag excess;             ///< p t: hi - p, rounded up, without the rounding of the weight
  Mag rounding;           ///< p e^d u_P: what rounding the weight to its format moves
  Mag held;               ///< what underflow in that format takes, in the row's scale
  Mag nu, mu;             ///< of the sums, without the rounding of the weight
};

struct RowBound {
  Letters letters;
  RowFacts facts;
  std::vector<KeyBound> keys;  ///< visible keys in order, the sink last
  Interval m, lse;
  Mag lse_size;  ///< max |computed lse|, with and without the sink
  Mag d_M;       ///< |computed maximum - m|
  Mag tau;       ///< lazy rescale or late sink
  Mag z;         ///< fused shift and drift: ln of the top weight, up or down
  Mag lost;      ///< W / L in the row's scale: what one weight can lose
  Mag held;      ///< what all weights can lose when they are held in their format
  Mag growth;    ///< e^(M - m): absolute errors of the kernel in the row's scale
  double L = 1;  ///< a lower bound of sum exp(s - m)
  Mag ell;       ///< merge term
  Mag nu_max, mu_max;
  double most_rescales = 0;                ///< the largest R_j
  Mag excess_sum, mu_sum;                  ///< sum p t, sum hi mu
  Mag rounding_sum;                        ///< of KeyBound::rounding
  Mag top_weight{1.0};                     ///< the largest weight that a kernel may form
  double den = 0;                          ///< lower bound of the computed sum over the exact one
  std::optional<std::string> uncheckable;  ///< why the contract permits overflow in the whole row
  bool lse_uncheckable = false;
};

/// |bias| and |ALiBi| of one key, exact sizes rounded up; 0 where absent.
struct BiasParts {
  Mag bias, alibi;
  Mag flushed;   ///< what a flush of the subnormal ones among bias, slope and sink takes
  Mag distance;  ///< the largest that ALiBi is formed from
};

[[nodiscard]] RowFacts row_facts(const Problem& problem, const Contract& contract,
                                 const RowTrace& trace, const Letters& letters, std::int64_t b,
                                 std::int64_t h, std::int64_t i);
/// Fills parts, delta and x_constant of a key from its trace.  docs/bounds.md 3
void score_error(const Letters& letters, const RowFacts& facts, const KeyTrace& key,
                 const BiasParts& biases, KeyBound& out);
/// Fills the weight ranges and the row's sums.  docs/bounds.md 4
void weight_errors(const RowTrace& trace, RowBound& row);
/// Sets `uncheckable` where the contract permits overflow.  docs/bounds.md 6
void row_overflow(const Problem& problem, const Contract& contract, const RowTrace& trace,
                  RowBound& row);
/// Why a product of the row can overflow, if the contract permits it: hidden keys included where
/// they are read.
[[nodiscard]] std::optional<std::string> product_overflow(const Problem& problem,
                                                          const Contract& contract,
                                                          const RowTrace& trace,
                                                          const Letters& letters,
                                                          const RowFacts& facts);
/// The same for hidden values, in kernels that hide by a finite score: the sum of their sizes, and
/// the largest.
[[nodiscard]] bool hidden_values_overflow(const Letters& letters, const Contract& contract,
                                          Mag absolute, Mag largest);
/// All of it, for a row with at least one visible key and finite scores.
[[nodiscard]] RowBound row_bound(const Problem& problem, const Contract& contract,
                                 const RowEnclosure& row, std::int64_t b, std::int64_t h,
                                 std::int64_t i);

/// One column of V as the bound sees it, in units in which max |V| is about 1.
struct ColumnSums {
  double unit = 1;           ///< V in the file = V here * unit, a power of two
  double low = 0, high = 0;  ///< exact range of V over visible keys, 0 included with a sink
  double size = 0;           ///< max |V|
  Interval o;                ///< exact output
  Mag centred;               ///< sum p t |V - o|
  Mag weighted_nu;           ///< sum (hi nu + held) |V|, or the sum of 4.8 for nu
  Mag rounded;               ///< sum of rounding * max(|V - o|, |V|), or either: docs/bounds.md 5.1
  Mag absolute;              ///< sum |V|
  Mag mean_absolute;         ///< sum p |V|
};

/// The pieces of one column's bound, in file units.
struct ColumnBound {
  Mag det;                   ///< |got - o| <= det
  Mag simple, box;           ///< before step 5; infinity if not available or not needed
  Mag hull;                  ///< how far outside the hull of V an output can lie
  double low = 0, high = 0;  ///< the hull, in file units
  bool by_hull = false;      ///< det is as wide as the range of V
  bool vacuous = false;      ///< no finite bound follows from the contract, overflow or not
};

/// Sums over the visible keys for all columns. `v` is [S, d_v], nonfinite values replaced by 0.
[[nodiscard]] std::vector<ColumnSums> column_sums(const RowBound& row, const double* v,
                                                  std::int64_t d_v, const std::vector<Interval>& o);
/// Which columns' accumulators may overflow.  docs/bounds.md 6.5
[[nodiscard]] std::vector<bool> column_overflows(const RowBound& row,
                                                 const std::vector<ColumnSums>& sums,
                                                 const double* v);
[[nodiscard]] ColumnBound column_bound(const RowBound& row, const ColumnSums& sums, const double* v,
                                       std::int64_t d_v, std::int64_t column);

/// The exact range of sum W V / sum W over lo <= W <= hi, rounded outward; [min V, max V] if it
/// cannot be had.  docs/bounds.md 5.2
struct BoxItem {
  double v = 0, lo = 0, hi = 0;
};
[[nodiscard]] Interval box_range(std::vector<BoxItem> items);

/// How far the output can lie outside the hull of a V of size `size` before it is stored, in the
/// same unit; `eta_scale` turns the formats' underflow units into it. No weight and no oracle is
/// needed.
/// docs/bounds.md 5.3
[[nodiscard]] Mag hull_excess(const Letters& letters, Mag size, Mag eta_scale, Mag ell, Mag z,
                              Mag tau);
/// ell, z and the largest weight (0 = no overflow to fear) of a row whose scores are at most
/// `size`.
struct Uncentred {
  Mag ell, z, top;
};
[[nodiscard]] Uncentred uncentred(const Letters& letters, Mag size, bool sink);
/// Step 5 on top of E: normalisation and merge, then the store.  docs/bounds.md 5.4
[[nodiscard]] Mag before_store(const Letters& letters, Mag e, Mag o, Mag mean_absolute, Mag size,
                               Mag eta_scale, Mag ell);
[[nodiscard]] Mag stored(const Letters& letters, Mag e, Mag o, Mag eta_scale);

/// Radius of the natural-base LSE over all keys, or over keys only.  docs/bounds.md 7
[[nodiscard]] Mag lse_radius(const RowBound& row, bool with_sink, const Interval& exact);

}  // namespace qkvet::bound
