// Decoding of a head into blocks.
#include <algorithm>
#include <cmath>
#include <qkvet/loops/kernels.hpp>
#include <qkvet/oracle/head.hpp>

namespace qkvet {
namespace {

using loops::key_block, loops::value_block;

std::int64_t padded(std::int64_t n, std::int64_t block) {
  return std::max<std::int64_t>(1, (n + block - 1) / block) * block;
}

}  // namespace

// Each square and each addition loses at most a factor 1 - u and 2^-1075. docs/ladder.md 2.1
double norm_up(double sum_of_squares, const outward::SumError& error) {
  return outward::up(std::sqrt(error.absolute(sum_of_squares)));
}

HeadBlocks::HeadBlocks(const Problem& problem, std::int64_t b, std::int64_t kv_head)
    : S(problem.shape.S),
      d_k(problem.shape.d_k),
      d_v(problem.shape.d_v),
      S_pad(padded(S + (problem.sinks ? 1 : 0), key_block)),
      d_pad(padded(d_v, value_block)),
      keys(static_cast<std::size_t>(S_pad * d_k)),
      values(static_cast<std::size_t>(S_pad * d_pad)),
      norms(static_cast<std::size_t>(S_pad)),
      key_sum(norms.size()),
      key_max(norms.size()),
      value_max(static_cast<std::size_t>(d_pad)),
      facts(problem, b, kv_head) {
  const outward::SumError of_squares(d_k);
  const std::size_t first_key = problem.k.index(b, kv_head, 0, 0);
  const std::size_t first_value = problem.v.index(b, kv_head, 0, 0);
  for (std::int64_t j = 0; j < S; ++j) {
    double squares = 0, sum = 0, most = 0;
    for (std::int64_t c = 0; c < d_k; ++c) {
      const auto from = first_key + static_cast<std::size_t>(j * d_k + c);
      const double x = decode(problem.format, problem.k.bits[from]);
      const auto to =
          static_cast<std::size_t>((j / key_block * d_k + c) * key_block + j % key_block);
      if (!std::isfinite(x)) continue;
      keys[to] = x;
      squares += x * x;
      sum += std::fabs(x);
      most = std::max(most, std::fabs(x));
    }
    key_sum[static_cast<std::size_t>(j)] = sum;
    key_max[static_cast<std::size_t>(j)] = most;
    norms[static_cast<std::size_t>(j)] = norm_up(squares, of_squares);
    tidy = tidy && facts.key_nan[static_cast<std::size_t>(j)] == 0 &&
           facts.key_infinite[static_cast<std::size_t>(j)] == 0;
    for (std::int64_t d = 0; d < d_v; ++d) {
      const auto from = first_value + static_cast<std::size_t>(j * d_v + d);
      const double x = decode(problem.format, problem.v.bits[from]);
      const auto to = static_cast<std::size_t>(((d / 16) * S_pad + j) * 16 + d % 16);
      if (std::isfinite(x)) values[to] = x;
    }
  }
  std::copy(facts.value_max.begin(), facts.value_max.end(), value_max.begin());
  tidy = tidy && !facts.any_value_nonfinite;
}

}  // namespace qkvet
