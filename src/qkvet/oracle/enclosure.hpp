// The oracle's answer for one row: enclosures of every output and the LSE, what class of row it is,
// and the certified trace of scores and weights from which the bounds work. docs/oracle.md is the
// manual.
#pragma once

#include <cstdint>
#include <qkvet/num/interval.hpp>
#include <vector>

namespace qkvet {

/// What the oracle knows of one key in one row. Intervals hold the exact real values; plain doubles
/// are upper bounds, rounded up (infinity where an input is not finite). x = scale * q.k; s = the
/// score after softcap, bias and ALiBi, in the order of Semantics::cap_order. Scores of hidden keys
/// are computed too (s is
/// [-inf, -inf] where a bias hides). Values of nonfinite inputs are not (intervals stay unlimited,
/// `finite` is false).
struct KeyTrace {
  std::int64_t key = 0;  ///< j; S for the sink
  bool visible = false;  ///< admitted: every mask part shows it and its bias is not -inf
  bool sink = false;     ///< the sink: x is its logit, A = K1 = k_max = 0, V = 0
  bool finite = true;    ///< q, k_j and bias are finite (a bias of -inf counts as finite)
  double A = 0;          ///< sum_c |q_c k_jc|
  double K1 = 0;         ///< sum_c |k_jc|
  double k_max = 0;      ///< max_c |k_jc|
  Interval x;            ///< scale * q . k_j
  Interval bias;         ///< additive bias + ALiBi; [-inf, -inf] where the bias is -inf
  Interval s;            ///< score
  Interval weight;       ///< softmax weight p_j, sink included in the sum; [0, 0] if not visible
};

struct RowTrace {
  double Q1 = 0;     ///< sum_c |q_c|, rounded up
  double q_max = 0;  ///< max_c |q_c|
  Interval scale;    ///< sigma
  Interval m;        ///< max over visible keys (and sink) of s; [-inf, -inf] if there are none
  Interval lse;      ///< ln sum exp(s), natural base, sink included; [-inf, -inf] of nothing
  Interval lse_without_sink;   ///< the same over keys only (equal if there is no sink)
  std::int64_t n = 0;          ///< visible keys, the sink included
  std::vector<KeyTrace> keys;  ///< all S keys in order, visible or not; then the sink, if any
};

enum class RowClass : std::uint8_t {
  live,       ///< at least one visible key with a finite score
  empty,      ///< no visible key (a sink alone still counts as empty: o is [0, 0], LSE = sink)
  nonfinite,  ///< a visible score is NaN or infinite by data: no output is computed
};

/// What nonfinite values in V do to one output column.
struct ColumnFacts {
  bool visible_nan = false, visible_inf = false, hidden_nonfinite = false;
};

struct RowEnclosure {
  RowClass row_class = RowClass::live;
  bool visible_nan = false;  ///< NaN in q, or in a visible key's k or bias
  bool visible_inf = false;  ///< infinity there
  bool hidden_nonfinite =
      false;  ///< NaN or infinity in a hidden key's k, or NaN or +inf in its bias
  RowTrace trace;
  std::vector<Interval> o;  ///< d_v exact outputs; unlimited where V or scores are nonfinite
  std::vector<ColumnFacts> columns;  ///< d_v
};

}  // namespace qkvet
