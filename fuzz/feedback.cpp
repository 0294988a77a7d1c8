#include "fuzz/feedback.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace qkvet::fuzz {
namespace {

constexpr std::size_t row_counters = 4 * 32 * 2 * 3, shape_counters = 6 * 3 * 2 * 2;
constexpr std::size_t score_counters = 2 * 48 * 2, error_counters = 96 * 4;
constexpr std::size_t rows_at = 0, shapes_at = rows_at + row_counters,
                      scores_at = shapes_at + shape_counters,
                      errors_at = scores_at + score_counters,
                      all_counters = errors_at + error_counters;

/// libFuzzer reads this section after each run and clears it before the next one.
__attribute__((used, section("__libfuzzer_extra_counters"))) std::uint8_t counters[all_counters];
bool noting = true;

void count(std::size_t first, std::size_t n, std::size_t size) {
  if (noting) counters[first + std::min(n, size - 1)] = 1;
}

/// The kinds of masks that hide some key of the row, a bit each, and how many keys are left.
struct RowSight {
  std::size_t hiding = 0;
  std::int64_t seen = 0;
};

RowSight sight_of(const Problem& p, std::int64_t b, std::int64_t h, std::int64_t i) {
  const MaskSpec& mask = p.mask;
  const std::int64_t diagonal = uses_diagonal(p) ? i + diagonal_offset(p, b) : 0;
  const auto entry = static_cast<std::size_t>(b);
  const auto at = [](const std::array<std::int64_t, 4>& extents, std::int64_t n, std::size_t axis) {
    return extents[axis] == 1 ? 0 : n;
  };
  RowSight sight;
  for (std::int64_t j = 0; j < p.shape.S; ++j) {
    std::size_t by = 0;
    if (mask.causal && j > diagonal) by |= 1;
    if (mask.window && ((mask.window->left && j < diagonal - *mask.window->left) ||
                        (mask.window->right && j > diagonal + *mask.window->right))) {
      by |= 2;
    }
    if (mask.key_range && (j < mask.key_range->start[entry] || j >= mask.key_range->end[entry])) {
      by |= 4;
    }
    if (mask.attend) {
      const auto& e = mask.attend->extents;
      const std::int64_t place =
          ((at(e, b, 0) * e[1] + at(e, h, 1)) * e[2] + at(e, i, 2)) * e[3] + at(e, j, 3);
      if (mask.attend->attend[static_cast<std::size_t>(place)] == 0) by |= 8;
    }
    if (mask.bias && std::isinf(bias_value(p, b, h, i, j))) by |= 16;
    sight.hiding |= by;
    sight.seen += by == 0 ? 1 : 0;
  }
  return sight;
}

std::size_t place_in_tile(std::int64_t extent, std::int64_t tile) {
  const std::int64_t rest = extent % tile;
  return rest == 0 ? 0 : rest == 1 ? 1 : rest == tile - 1 ? 2 : 3;
}

void note_row(const Problem& p, std::int64_t b, std::int64_t h, std::int64_t i) {
  const RowSight sight = sight_of(p, b, h, i);
  const std::size_t seen = sight.seen == 0           ? 0
                           : sight.seen == 1         ? 1
                           : sight.seen == p.shape.S ? 2
                                                     : 3;
  const std::size_t last = b + 1 == p.shape.B && h + 1 == p.shape.H_q ? 1 : 0;
  const std::size_t tail = std::min<std::size_t>(place_in_tile(p.shape.S, 16), 2);
  count(rows_at, ((seen * 32 + sight.hiding) * 2 + last) * 3 + tail, row_counters);
}

/// Every row of few, else those of the last head.
void note_rows(const Problem& p) {
  constexpr std::int64_t few = 4096;
  const Shape& s = p.shape;
  if (s.B == 0 || s.H_q == 0) return;
  const bool all = s.B * s.H_q * s.L * s.S <= few;
  for (std::int64_t b = all ? 0 : s.B - 1; b < s.B; ++b)
    for (std::int64_t h = all ? 0 : s.H_q - 1; h < s.H_q; ++h)
      for (std::int64_t i = 0; i < s.L; ++i) note_row(p, b, h, i);
}

void note_shape(const Problem& p) {
  const Shape& s = p.shape;
  const std::size_t keys = s.S <= 1 ? static_cast<std::size_t>(s.S) : 2 + place_in_tile(s.S, 64);
  const std::size_t width = s.d_v <= 16 ? 0 : s.d_v <= 64 ? 1 : 2;
  const std::size_t v = p.layouts.v.strides ? 1 : 0, k = p.layouts.k.strides ? 1 : 0;
  count(shapes_at, ((keys * 3 + width) * 2 + v) * 2 + k, shape_counters);
}

std::size_t format_number(const Problem& p) { return static_cast<std::size_t>(p.format) % 4; }

}  // namespace

void set_feedback(bool on) { noting = on; }

void note_problem(const Problem& problem) {
  if (!noting) return;
  note_shape(problem);
  note_rows(problem);
}

void note_scores(const Problem& problem, double largest) {
  if (!noting || !std::isfinite(largest)) return;
  const double size = std::fabs(largest);
  const int exponent = size > 0 ? std::clamp(std::ilogb(size), -15, 31) : -16;
  const auto bucket = static_cast<std::size_t>(exponent + 16);
  const std::size_t negative = largest < 0 ? 1 : 0;
  const std::size_t grouped = problem.shape.H_q != problem.shape.H_kv ? 1 : 0;
  count(scores_at, (bucket * 2 + negative) * 2 + grouped, score_counters);
}

void note_error(const Problem& problem, double ratio) {
  if (!noting || !(ratio > 0) || !std::isfinite(ratio)) return;
  const double quarter = std::clamp(std::floor(4 * std::log2(ratio)) + 88, 0.0, 95.0);
  count(errors_at, static_cast<std::size_t>(quarter) * 4 + format_number(problem), error_counters);
}

std::int64_t counted_and_cleared() {
  const auto set = std::count_if(std::begin(counters), std::end(counters),
                                 [](std::uint8_t counter) { return counter != 0; });
  std::fill(std::begin(counters), std::end(counters), std::uint8_t{0});
  return set;
}

}  // namespace qkvet::fuzz
