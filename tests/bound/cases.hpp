// Small problems by hand, and honest float kernels that compute them in a declared arithmetic.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <qkvet/bound/admissible.hpp>
#include <qkvet/contract/contract.hpp>
#include <qkvet/problem/problem.hpp>
#include <string>
#include <vector>

namespace qkvet::test {

/// One row, one head: q [d_k], k [S][d_k], V [S][d_v].
inline Problem one_row(std::vector<double> q, const std::vector<std::vector<double>>& k,
                       const std::vector<std::vector<double>>& v,
                       Format format = Format::binary32) {
  Problem p;
  p.format = format;
  const auto S = static_cast<std::int64_t>(k.size());
  const auto d_k = static_cast<std::int64_t>(q.size());
  const auto d_v = static_cast<std::int64_t>(v.front().size());
  p.shape = {1, 1, 1, 1, S, d_k, d_v};
  p.q = make_tensor(format, {1, 1, 1, d_k});
  p.k = make_tensor(format, {1, 1, S, d_k});
  p.v = make_tensor(format, {1, 1, S, d_v});
  for (std::int64_t c = 0; c < d_k; ++c) p.q.set(0, 0, 0, c, q[static_cast<std::size_t>(c)]);
  for (std::int64_t j = 0; j < S; ++j) {
    const auto at = static_cast<std::size_t>(j);
    for (std::int64_t c = 0; c < d_k; ++c) p.k.set(0, 0, j, c, k[at][static_cast<std::size_t>(c)]);
    for (std::int64_t d = 0; d < d_v; ++d) p.v.set(0, 0, j, d, v[at][static_cast<std::size_t>(d)]);
  }
  p.scale = 1.0;
  return p;
}

/// d_k = d_v = 1.
inline Problem scalars(double q, const std::vector<double>& k, const std::vector<double>& v,
                       Format format = Format::binary32) {
  std::vector<std::vector<double>> ks, vs;
  for (const double x : k) ks.push_back({x});
  for (const double x : v) vs.push_back({x});
  return one_row({q}, ks, vs, format);
}

inline void add_bias(Problem& p, const std::vector<double>& bias,
                     Format format = Format::binary32) {
  Tensor t = make_tensor(format, {1, 1, 1, p.shape.S});
  for (std::int64_t j = 0; j < p.shape.S; ++j) t.set(0, 0, 0, j, bias[static_cast<std::size_t>(j)]);
  p.mask.bias = t;
}

/// A contract that stands on a built-in one, with some lines of [arithmetic] and [semantics].
inline Contract contract(const std::string& base, const std::string& arithmetic = "",
                         const std::string& rest = "") {
  return read_contracts("contract = t\nbase = " + base + "\n[arithmetic]\n" + arithmetic + rest,
                        "t")
      .contracts.front();
}

inline Place output(const Problem& p, const Contract& c, std::size_t place = 0) {
  return admit(p, c, Rung::arb).o[place];
}
inline Place lse(Problem p, const Contract& c) {
  p.want_lse = true;
  return admit(p, c, Rung::arb).lse[0];
}

}  // namespace qkvet::test
