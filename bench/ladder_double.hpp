// Two attentions in plain double, for comparison of prices.
#pragma once

#include <cstdint>
#include <vector>

namespace bench {

struct Dense {
  std::int64_t L, S, d;
  double scale;
  std::vector<double> q, k, v;
};

/// Blocked and vectorised, by Eigen.
void eigen_attention(const Dense& problem, std::vector<double>& o);
/// Three loops, vectorised by the compiler as far as it can.
void simple_attention(const Dense& problem, std::vector<double>& o);

}  // namespace bench
