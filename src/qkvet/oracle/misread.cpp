// Faulty readings of a problem, for tests that plant them in the definition and expect Arb to
// notice.
#include <algorithm>
#include <qkvet/oracle/definition.hpp>

namespace qkvet {
namespace {

// Every entry's diagonal as a number, moved by `slip`.
Diagonal moved_diagonal(const Problem& problem, std::int64_t slip) {
  Diagonal diagonal;
  diagonal.kind = Diagonal::Kind::fixed;
  for (std::int64_t b = 0; b < problem.shape.B; ++b) {
    diagonal.offsets.push_back(diagonal_offset(problem, b) + slip);
  }
  return diagonal;
}

// Rotates a tensor with extents [.., .., .., S] by one along its last axis.
template <class Element>
void rotate_last_axis(std::vector<Element>& elements, std::int64_t extent) {
  if (extent < 2) return;
  for (auto row = elements.begin(); row != elements.end(); row += extent) {
    std::rotate(row, row + 1, row + extent);
  }
}

// Keys and values copied so that query head h reads what head h mod H_kv holds.
Tensor regrouped(const Tensor& tensor, const Shape& shape) {
  Tensor result = make_tensor(tensor.format, {shape.B, shape.H_q, shape.S, tensor.extents[3]});
  for (std::int64_t b = 0; b < shape.B; ++b) {
    for (std::int64_t h = 0; h < shape.H_q; ++h) {
      for (std::int64_t j = 0; j < shape.S; ++j) {
        for (std::int64_t c = 0; c < tensor.extents[3]; ++c) {
          result.bits[result.index(b, h, j, c)] =
              tensor.bits[tensor.index(b, h % shape.H_kv, j, c)];
        }
      }
    }
  }
  return result;
}

}  // namespace

Problem misread(const Problem& problem, const Sabotage& sabotage) {
  Problem seen = problem;
  MaskSpec& mask = seen.mask;
  switch (sabotage.pass) {
    case Pass::causal:
      if (mask.causal) mask.diagonal = moved_diagonal(problem, 1);
      break;
    case Pass::window:
      if (mask.window && mask.window->left) ++*mask.window->left;
      if (mask.window && mask.window->right) ++*mask.window->right;
      break;
    case Pass::range:
      if (mask.key_range) {
        for (std::int64_t& end : mask.key_range->end) --end;
      }
      break;
    case Pass::attend:
      if (mask.attend) rotate_last_axis(mask.attend->attend, mask.attend->extents[3]);
      break;
    case Pass::bias_place:
      if (mask.bias) rotate_last_axis(mask.bias->bits, mask.bias->extents[3]);
      break;
    case Pass::heads:
      seen.k = regrouped(problem.k, problem.shape);
      seen.v = regrouped(problem.v, problem.shape);
      seen.shape.H_kv = problem.shape.H_q;
      break;
    case Pass::alibi:
      if (seen.alibi_slopes) {
        Tensor& slopes = *seen.alibi_slopes;
        Tensor wide = make_tensor(Format::binary64, slopes.extents);
        for (std::int64_t h = 0; h < problem.shape.H_q; ++h) {
          wide.set(h, 0, 0, 0, slopes.value(h, 0, 0, 0) * sabotage.factor());
        }
        slopes = wide;
      }
      break;
    default:
      break;  // A fault of arithmetic, not of reading.
  }
  return seen;
}

}  // namespace qkvet
