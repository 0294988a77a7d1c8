// The keys and values of one key/value head as the loops want them: doubles, in blocks of 16,
// padded with zeros.
#pragma once

#include <cstdint>
#include <qkvet/oracle/facts.hpp>
#include <qkvet/oracle/outward.hpp>
#include <qkvet/problem/problem.hpp>
#include <vector>

namespace qkvet {

struct HeadBlocks {
  std::int64_t S = 0, d_k = 0, d_v = 0;
  std::int64_t S_pad = 0, d_pad = 0;  ///< multiples of 16; S_pad has room for a sink behind the keys
  std::vector<double> keys;           ///< [S_pad/16][d_k][16], nonfinite places hold 0
  std::vector<double> values;         ///< [d_pad/16][S_pad][16], likewise
  std::vector<double> norms;          ///< [S_pad], >= the 2-norm of each key
  std::vector<double> key_sum;        ///< [S_pad], sum |k| of each key's finite channels, in double
  std::vector<double> key_max;        ///< [S_pad], the largest of them: exact
  std::vector<double> value_max;      ///< [d_pad], the largest |V| of each column: exact
  HeadFacts facts;
  bool tidy = true;  ///< no key or value is NaN or infinite

  HeadBlocks() = default;
  HeadBlocks(const Problem& problem, std::int64_t b, std::int64_t kv_head);

  [[nodiscard]] double value(std::int64_t j, std::int64_t d) const {
    return values[static_cast<std::size_t>(((d / 16) * S_pad + j) * 16 + d % 16)];
  }
};

/// An upper bound of the 2-norm of a vector of n numbers, from the sum of their squares in double;
/// `error` is that of a sum of n products.
[[nodiscard]] double norm_up(double sum_of_squares, const outward::SumError& error);

}  // namespace qkvet
