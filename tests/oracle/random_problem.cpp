// Small random problems: see the header.
#include "random_problem.hpp"

#include <cmath>
#include <limits>

namespace qkvet::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

void fill(Dice& dice, Tensor& tensor, double spread) {
  for (std::uint64_t& bits : tensor.bits) bits = encode(tensor.format, dice.normal() * spread);
}

std::array<std::int64_t, 4> broadcast(Dice& dice, const Shape& shape) {
  return {dice.one_in(2) ? 1 : shape.B, dice.one_in(2) ? 1 : shape.H_q,
          dice.one_in(3) ? 1 : shape.L, dice.one_in(4) ? 1 : shape.S};
}

void add_masks(Dice& dice, Problem& problem) {
  const Shape& shape = problem.shape;
  MaskSpec& mask = problem.mask;
  mask.causal = dice.one_in(3);
  if (dice.one_in(2)) {
    mask.diagonal.kind = dice.one_in(2) ? Diagonal::Kind::bottom_right : Diagonal::Kind::fixed;
    if (mask.diagonal.kind == Diagonal::Kind::fixed) {
      const std::int64_t entries = dice.one_in(2) ? 1 : shape.B;
      for (std::int64_t b = 0; b < entries; ++b) {
        mask.diagonal.offsets.push_back(dice.upto(8) - 3);
      }
    }
  }
  if (dice.one_in(4)) {
    mask.window.emplace();
    if (!dice.one_in(3)) mask.window->left = dice.upto(4);
    if (!dice.one_in(3)) mask.window->right = dice.upto(4);
  }
  if (dice.one_in(4)) {
    mask.key_range.emplace();
    for (std::int64_t b = 0; b < shape.B; ++b) {
      const std::int64_t start = dice.upto(shape.S);
      mask.key_range->start.push_back(start);
      mask.key_range->end.push_back(start + dice.upto(shape.S - start));
    }
  }
  if (dice.one_in(4)) {
    mask.attend.emplace();
    mask.attend->extents = broadcast(dice, shape);
    std::int64_t size = 1;
    for (const std::int64_t extent : mask.attend->extents) size *= extent;
    for (std::int64_t n = 0; n < size; ++n) mask.attend->attend.push_back(!dice.one_in(3));
  }
  if (dice.one_in(3)) {
    mask.bias =
        make_tensor(dice.one_in(2) ? Format::binary64 : Format::binary32, broadcast(dice, shape));
    fill(dice, *mask.bias, 2);
    for (std::uint64_t& bits : mask.bias->bits) {
      if (dice.one_in(6)) bits = encode(mask.bias->format, -infinity);
    }
  }
}

void add_features(Dice& dice, Problem& problem) {
  const Shape& shape = problem.shape;
  if (dice.one_in(3) || shape.d_k == 0) problem.scale = dice.normal();
  if (dice.one_in(3)) problem.softcap = std::fabs(dice.normal()) + 0.1;
  if (dice.one_in(4)) {
    problem.sinks = make_tensor(problem.format, {shape.H_q, 1, 1, 1});
    fill(dice, *problem.sinks, 3);
    if (dice.one_in(4)) problem.sinks->set(0, 0, 0, 0, -infinity);
  }
  if (dice.one_in(4)) {
    problem.alibi_slopes = make_tensor(problem.format, {shape.H_q, 1, 1, 1});
    fill(dice, *problem.alibi_slopes, 0.5);
  }
  problem.want_lse = dice.one_in(2);
}

void add_specials(Dice& dice, Tensor& tensor) {
  if (tensor.bits.empty()) return;
  const double special[] = {infinity, -infinity, std::nan("")};
  const auto place = static_cast<std::size_t>(dice.upto(tensor.size() - 1));
  tensor.bits[place] = encode(tensor.format, special[dice.upto(2)]);
}

}  // namespace

Problem random_problem(std::uint64_t seed, double spread) {
  Dice dice(seed);
  Problem problem;
  Shape& shape = problem.shape;
  shape.B = 1 + dice.upto(1);
  shape.H_kv = 1 + dice.upto(1);
  shape.H_q = shape.H_kv * (1 + dice.upto(2));
  shape.L = 1 + dice.upto(4);
  shape.S = dice.one_in(20) ? 0 : 1 + dice.upto(8);
  shape.d_k = dice.one_in(20) ? 0 : 1 + dice.upto(6);
  shape.d_v = 1 + dice.upto(4);
  problem.format = dice.one_in(2) ? Format::binary64 : Format::binary32;
  problem.q = make_tensor(problem.format, {shape.B, shape.H_q, shape.L, shape.d_k});
  problem.k = make_tensor(problem.format, {shape.B, shape.H_kv, shape.S, shape.d_k});
  problem.v = make_tensor(problem.format, {shape.B, shape.H_kv, shape.S, shape.d_v});
  fill(dice, problem.q, spread);
  fill(dice, problem.k, 1);
  fill(dice, problem.v, 1);
  add_masks(dice, problem);
  add_features(dice, problem);
  if (dice.one_in(10)) add_specials(dice, problem.q);
  if (dice.one_in(8)) add_specials(dice, problem.k);
  if (dice.one_in(8)) add_specials(dice, problem.v);
  if (dice.one_in(12) && problem.mask.bias) add_specials(dice, *problem.mask.bias);
  return problem;
}

Problem worked_example(double query) {
  Problem problem;
  problem.format = Format::binary64;
  problem.shape.S = 2;
  problem.want_lse = true;
  problem.q = make_tensor(Format::binary64, {1, 1, 1, 1});
  problem.k = make_tensor(Format::binary64, {1, 1, 2, 1});
  problem.v = make_tensor(Format::binary64, {1, 1, 2, 1});
  problem.q.set(0, 0, 0, 0, query);
  problem.k.set(0, 0, 1, 0, 0x1.193ea7aad030bp+0);  // ln 3, rounded to binary64
  problem.v.set(0, 0, 0, 0, 10);
  problem.v.set(0, 0, 1, 0, 20);
  return problem;
}

}  // namespace qkvet::test
