// Masks as the raw parts say: a key must pass causal, window, key range and boolean mask.
#include <array>
#include <qkvet/oracle/arb_mask.hpp>

namespace qkvet {
namespace {

using Extents = std::array<std::int64_t, 4>;

// Row-major place of a coordinate in a tensor in which extents of 1 repeat.
std::size_t broadcast_place(const Extents& extents, const Extents& at, bool misplaced) {
  std::int64_t place = 0;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const std::int64_t extent = extents[axis];
    std::int64_t step = extent > 1 ? at[axis] : 0;
    if (misplaced && axis == 3 && extent > 1) step = (step + 1) % extent;
    place = place * extent + step;
  }
  return static_cast<std::size_t>(place);
}

}  // namespace

ArbMask::ArbMask(const Problem& problem, const Semantics& semantics, const Sabotage* sabotage)
    : problem_(problem), sabotage_(sabotage) {
  const bool capped = problem.softcap > 0;
  const bool bias_is_capped = semantics.cap_order == Semantics::CapOrder::bias_then_cap;
  minus_infinity_hides_ = !(capped && bias_is_capped);
}

Int128 ArbMask::diagonal_key(std::int64_t b, std::int64_t i) const {
  const MaskSpec& mask = problem_.mask;
  Int128 past = 0;
  switch (mask.diagonal.kind) {
    case Diagonal::Kind::top_left:
      break;
    case Diagonal::Kind::bottom_right: {
      std::int64_t last = problem_.shape.S;
      if (mask.key_range) last = mask.key_range->end[static_cast<std::size_t>(b)];
      past = Int128{last} - problem_.shape.L;
      break;
    }
    case Diagonal::Kind::fixed: {
      const std::vector<std::int64_t>& offsets = mask.diagonal.offsets;
      past = offsets.size() == 1 ? offsets[0] : offsets[static_cast<std::size_t>(b)];
      break;
    }
  }
  return past + i;
}

bool ArbMask::admits(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
  const MaskSpec& mask = problem_.mask;
  const Int128 ahead = Int128{j} - diagonal_key(b, i);  // Positive: in the future.
  if (mask.causal && ahead > (spoils(sabotage_, Pass::causal) ? 1 : 0)) return false;
  if (mask.window) {
    const Int128 slip = spoils(sabotage_, Pass::window) ? 1 : 0;
    if (mask.window->left && -ahead > *mask.window->left + slip) return false;
    if (mask.window->right && ahead > *mask.window->right + slip) return false;
  }
  if (mask.key_range) {
    const auto entry = static_cast<std::size_t>(b);
    const std::int64_t slip = spoils(sabotage_, Pass::range) ? 1 : 0;
    if (j < mask.key_range->start[entry] || j >= mask.key_range->end[entry] - slip) return false;
  }
  if (mask.attend) {
    const std::size_t place =
        broadcast_place(mask.attend->extents, {b, h, i, j}, spoils(sabotage_, Pass::attend));
    if (mask.attend->attend[place] == 0) return false;
  }
  return true;
}

double ArbMask::additive(std::int64_t b, std::int64_t h, std::int64_t i, std::int64_t j) const {
  if (!problem_.mask.bias) return 0;
  const Tensor& bias = *problem_.mask.bias;
  const std::size_t place =
      broadcast_place(bias.extents, {b, h, i, j}, spoils(sabotage_, Pass::bias_place));
  return decode(bias.format, bias.bits[place]);
}

std::int64_t ArbMask::kv_head(std::int64_t h) const {
  const Shape& shape = problem_.shape;
  if (spoils(sabotage_, Pass::heads)) return h % shape.H_kv;
  return h * shape.H_kv / shape.H_q;  // Groups of H_q / H_kv neighbours share a head.
}

}  // namespace qkvet
