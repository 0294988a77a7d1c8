#include "adversary.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <qkvet/oracle/oracle.hpp>
#include <qkvet/problem/draw.hpp>
#include <vector>

namespace fleet {
namespace {

using namespace qkvet;

/// Weights of all keys relative to the largest; empty if the row says nothing.
std::vector<double> weights_of(const Problem& problem, std::int64_t b, std::int64_t h,
                               std::int64_t i) {
  const RowEnclosure row = enclose_row(problem, Semantics{}, Rung::first, b, h, i);
  std::vector<double> weights;
  if (row.row_class != RowClass::live || row.visible_nan || row.visible_inf) return weights;
  for (const KeyTrace& key : row.trace.keys) {
    if (!key.sink) weights.push_back(key.visible ? key.weight.mid() : 0);
  }
  const double top = weights.empty() ? 0 : *std::max_element(weights.begin(), weights.end());
  if (!(top > 0)) return {};
  for (double& w : weights) w /= top;
  return weights;
}

/// What rounding it to `format` adds to a weight.
double rounding_of(Format format, double weight) {
  const Format held = format == Format::binary64 ? Format::binary32 : format;
  return decode(held, encode(held, weight)) - weight;
}

}  // namespace

Problem with_hostile_values(Problem problem, std::uint64_t seed) {
  const Shape& s = problem.shape;
  if (s.S == 0 || s.L == 0 || s.d_v == 0) return problem;
  Problem out = problem;
  out.layouts.v = {};  // a stride of 0 needs batch entries that agree
  for (std::int64_t head = 0; head < s.B * s.H_kv; ++head) {
    const std::int64_t b = head / s.H_kv, g = head % s.H_kv;
    std::uint64_t word = mix(seed ^ mix(static_cast<std::uint64_t>(head)));
    const auto rows = static_cast<std::uint64_t>(s.H_q / s.H_kv * s.L);
    const auto row = static_cast<std::int64_t>(word % rows);
    const std::int64_t h = g * (s.H_q / s.H_kv) + row / s.L;
    const std::vector<double> weights = weights_of(problem, b, h, row % s.L);
    if (weights.empty()) continue;
    std::vector<std::size_t> by_weight(weights.size());
    std::iota(by_weight.begin(), by_weight.end(), std::size_t{0});
    std::sort(by_weight.begin(), by_weight.end(), [&](std::size_t x, std::size_t y) {
      return weights[x] < weights[y] || (!(weights[y] < weights[x]) && x < y);
    });
    for (std::int64_t d = 0; d < s.d_v; ++d) {
      std::vector<double> old;
      for (std::int64_t j = 0; j < s.S; ++j) old.push_back(problem.v.value(b, g, j, d));
      if (!std::ranges::all_of(old, [](double x) { return std::isfinite(x); })) continue;
      std::sort(old.begin(), old.end());
      for (std::size_t n = 0; n < by_weight.size(); ++n) {
        const std::size_t j = by_weight[n];
        word = mix(word);
        const double size = 1 + static_cast<double>(word >> 12) * 0x1p-52;
        double value = old[n];
        if (d % 3 == 0) value = std::copysign(size, rounding_of(problem.format, weights[j]));
        if (d % 3 == 2) value = 2 * n < by_weight.size() ? -size : size;
        out.v.set(b, g, static_cast<std::int64_t>(j), d, value);
      }
    }
  }
  return out;
}

}  // namespace fleet
