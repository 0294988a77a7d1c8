#include "properties/marks.hpp"

#include <cmath>

#include "properties/tools.hpp"

namespace qkvet {
namespace {

/// In how many rows of its head's group key j is hidden.
std::int64_t rows_without(const Problem& p, const Contract& contract, std::int64_t b,
                          std::int64_t g, std::int64_t j) {
  const Shape& s = p.shape;
  const std::int64_t group = s.H_q / s.H_kv;
  std::int64_t n = 0;
  for (std::int64_t h = g * group; h < (g + 1) * group; ++h) {
    for (std::int64_t i = 0; i < s.L; ++i) n += !sees(p, contract, b, h, i, j);
  }
  return n;
}

}  // namespace

std::size_t mark_at(const Shape& s, std::int64_t b, std::int64_t g, std::int64_t j) {
  return static_cast<std::size_t>((b * s.H_kv + g) * s.S + j);
}

Marks marked_keys(const Problem& p, const Contract& contract) {
  const Shape& s = p.shape;
  Marks marks(static_cast<std::size_t>(s.B * s.H_kv * s.S), 0);
  const std::int64_t all = s.L * (s.H_q / s.H_kv);
  for (std::int64_t b = 0; b < s.B; ++b)
    for (std::int64_t g = 0; g < s.H_kv; ++g) {
      std::int64_t best = -1, most = 0;
      for (std::int64_t j = 0; j < s.S; ++j) {
        const std::int64_t hidden = rows_without(p, contract, b, g, j);
        if (hidden == all) marks[mark_at(s, b, g, j)] = 1;
        if (hidden > most) most = hidden, best = j;
      }
      if (best >= 0 && most < all) marks[mark_at(s, b, g, best)] = 1;
    }
  return marks;
}

std::vector<char> unaffected_rows(const Problem& p, const Contract& contract, const Marks& marks) {
  const Shape& s = p.shape;
  std::vector<char> rows(static_cast<std::size_t>(s.rows()), 1);
  for_rows(s, [&](auto b, auto h, auto i) {
    for (std::int64_t j = 0; j < s.S; ++j) {
      if (marks[mark_at(s, b, s.kv_head(h), j)] == 0 || !sees(p, contract, b, h, i, j)) continue;
      rows[static_cast<std::size_t>(s.row(b, h, i))] = 0;
      return;
    }
  });
  return rows;
}

double garbage(Format format, double x, Choices& choices) {
  const double room = info(format).max / 64;
  if (!std::isfinite(x)) return x;
  if (!(std::fabs(x) <= room)) return -x;
  return -7 * x + static_cast<double>(choices.between(-256, 255)) / 64;
}

Problem with_marked(const Problem& problem, const Marks& marks,
                    const std::function<double(double)>& change) {
  Problem p = problem;
  const Shape& s = p.shape;
  for (std::int64_t b = 0; b < s.B; ++b)
    for (std::int64_t g = 0; g < s.H_kv; ++g)
      for (std::int64_t j = 0; j < s.S; ++j) {
        if (marks[mark_at(s, b, g, j)] == 0) continue;
        for (std::int64_t c = 0; c < s.d_k; ++c) p.k.set(b, g, j, c, change(p.k.value(b, g, j, c)));
        for (std::int64_t d = 0; d < s.d_v; ++d) p.v.set(b, g, j, d, change(p.v.value(b, g, j, d)));
      }
  p.layouts.k = p.layouts.v = {};
  return p;
}

}  // namespace qkvet
