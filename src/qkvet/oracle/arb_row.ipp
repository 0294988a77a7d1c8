// The passes of the Arb oracle on one row, at a given precision. Private to the sources of the Arb
// oracle.
#pragma once

#include <cstdint>
#include <qkvet/oracle/arb.hpp>
#include <qkvet/oracle/arb_balls.ipp>
#include <vector>

namespace qkvet {

/// One row in balls. Per key (the sink last): x, bias, s, e = exp(s - shift), p; per column: o.
struct ArbRow {
  ArbVector x, bias, s, e, p, o;
  Arb scale, m, lse, lse_without_sink;
};

struct ArbRung::State {
  const Problem& problem;
  Semantics semantics;
  const Sabotage* sabotage;
  ArbMask mask;

  // The head whose keys and values are held as balls, nonfinite ones as 0 and marked.
  std::int64_t b = -1, kv_head = -1;
  ArbVector keys, values;              // [S, d_k], [S, d_v]
  std::vector<double> key_magnitudes;  // [S, d_k]
  std::vector<double> key_sum, key_max;
  std::vector<std::uint8_t> key_nan, key_infinite;
  std::vector<double> value_specials;  // [S, d_v] if any value is not finite, else empty
  std::vector<double> value_max;       // [d_v], of the finite ones

  State(const Problem& a_problem, const Semantics& a_semantics, const Sabotage* a_sabotage)
      : problem(a_problem),
        semantics(a_semantics),
        sabotage(a_sabotage),
        mask(a_problem, a_semantics, a_sabotage) {}

  // arb_reading.cpp: everything that needs no balls.
  void hold_head(std::int64_t entry, std::int64_t head);
  void hold_keys(std::int64_t first_key);
  void hold_values(std::int64_t first_key);
  [[nodiscard]] RowEnclosure read_row(std::int64_t entry, std::int64_t h, std::int64_t i) const;
  [[nodiscard]] std::vector<double> read_query(std::int64_t entry, std::int64_t h, std::int64_t i,
                                               RowEnclosure& row) const;
  void read_key(std::int64_t entry, std::int64_t h, std::int64_t i, std::int64_t j,
                const std::vector<double>& query, RowEnclosure& row) const;
  void read_sink(std::int64_t h, RowEnclosure& row) const;
  void read_columns(RowEnclosure& row) const;

  // arb.cpp: the passes.
  [[nodiscard]] ArbRow compute(const RowEnclosure& plan, std::int64_t entry, std::int64_t h,
                               std::int64_t i, slong precision) const;
  void scores(const RowEnclosure& plan, std::int64_t entry, std::int64_t h, std::int64_t i,
              slong precision, ArbRow& row) const;
  void add_bias(std::int64_t entry, std::int64_t h, std::int64_t i, std::int64_t j, bool spoilt,
                slong precision, ArbRow& row) const;
  void weights(const RowEnclosure& plan, slong precision, ArbRow& row) const;
  void outputs(const RowEnclosure& plan, slong precision, ArbRow& row) const;
  [[nodiscard]] ArbRow compute_tight(const RowEnclosure& plan, std::int64_t entry, std::int64_t h,
                                     std::int64_t i) const;
  [[nodiscard]] bool tight_keys(const RowEnclosure& plan, const ArbRow& row) const;
  [[nodiscard]] bool tight(const RowEnclosure& plan, const ArbRow& row) const;
};

}  // namespace qkvet
