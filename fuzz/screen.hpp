// The look that most cases of a differential target end with: a row that lies inside a proven lower
// part of the bound is accepted at once (docs/fuzzing.md 5 has the proof), the oracles are asked
// about any other. Nothing is rejected here.
#pragma once

#include <cstdint>
#include <qkvet/bound/letters.hpp>
#include <qkvet/contract/contract.hpp>
#include <qkvet/problem/problem.hpp>
#include <vector>

#include "fuzz/call.hpp"

namespace qkvet::fuzz {

class Screen {
 public:
  /// True only if `admit` would admit every output and LSE of the call. False is no verdict: the
  /// waist decides.
  [[nodiscard]] bool accepts(const Problem& problem, const Contract& contract, const Seen& seen);
  /// The same without the oracles: true only if the lower part of the bound suffices everywhere.
  [[nodiscard]] bool accepts_at_once(const Problem& problem, const Contract& contract,
                                     const Seen& seen);

 private:
  struct Row {
    std::int64_t b, h, i;
  };
  /// Of one visible key, the sink included.
  struct Key {
    const double* v;  ///< null: the sink
    double s, w;      ///< score; exp(s - m), then the weight
    double error;     ///< of s, computed here in double: absolute
    double least;     ///< a lower bound of the exponent error that the contract admits
    double part;      ///< weight times what is left of `least`
  };

  bool every_row(const Problem& problem, const Contract& contract, const Seen& seen,
                 bool ask_oracles);
  bool prepare(const Problem& problem, const Contract& contract);
  void decode_head(std::int64_t b, std::int64_t head);
  bool row(const Row& row, const double* o, const double* lse);
  bool empty_row(const Row& row, const double* o, const double* lse) const;
  bool scores(const Row& row);
  bool weights();
  bool outputs(const double* o) const;
  [[nodiscard]] bool special_row(const double* o, const double* lse) const;
  [[nodiscard]] bool open_column(double got, std::int64_t d) const;
  bool log_sum(const Row& row, double got) const;
  void set_letters();
  void set_sums(std::int64_t n);

  const Problem* problem_ = nullptr;
  const Contract* contract_ = nullptr;
  double scale_ = 0;
  std::int64_t b_ = -1, head_ = -1;
  std::vector<double> q_, k_, v_;
  std::vector<std::uint8_t> key_special_, value_special_;  ///< NaN or infinity, by key of the head
  std::uint8_t special_ = 0;                               ///< in q or a visible key of the row
  std::vector<Key> keys_;
  double m_ = 0, sum_ = 0, spread_ = 0, least_mean_ = 0;
  // The letters of docs/bounds.md that the lower part needs; nu and mu for n visible keys.
  struct Sums {
    double nu = -1, mu = 0;
  };
  std::vector<Sums> sums_of_;  ///< by n, filled when first asked for
  Sums sums_;
  double divide_ = 0, store_ = 0, dot_ = 0, exp_ = 0, argument_ = 0, round_ = 0;
  double log_ = 0, unit_ = 0, store_lse_ = 0, omega_ = 0, eta_ = 0;
};

}  // namespace qkvet::fuzz
