#include "hostile.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "../oracle/random_problem.hpp"

namespace qkvet::test {
namespace {

constexpr std::array<std::string_view, strata> names = {
    "gauss",     "equal",     "groups",   "cancelling", "dominated",
    "saturated", "subnormal", "features", "wide",       "halves"};

void fill(Dice& dice, Tensor& tensor, double spread) {
  for (std::uint64_t& bits : tensor.bits) bits = encode(tensor.format, dice.normal() * spread);
}
void fill_wide(Dice& dice, Tensor& tensor, int from, int to) {
  for (std::uint64_t& bits : tensor.bits) {
    const auto exponent = static_cast<int>(from + dice.upto(to - from));
    bits = encode(tensor.format, std::ldexp(dice.normal(), exponent));
  }
}
void repeat_keys(Problem& p, std::int64_t period) {
  for (std::int64_t j = period; j < p.shape.S; ++j) {
    for (std::int64_t c = 0; c < p.shape.d_k; ++c) {
      p.k.set(0, 0, j, c, p.k.value(0, 0, j % period, c));
    }
  }
}
void integers(Dice& dice, Tensor& tensor, std::int64_t most) {
  for (std::uint64_t& bits : tensor.bits) {
    bits = encode(tensor.format, static_cast<double>(dice.upto(2 * most) - most));
  }
}

void equal(Dice& dice, Problem& p) {
  repeat_keys(p, 1);
  if (dice.one_in(2)) p.q.bits.assign(p.q.bits.size(), 0);
  integers(dice, p.v, dice.one_in(2) ? 3 : 200);
}

// Each group of keys holds the same values in its own order: all means agree.
void groups(Dice& dice, Problem& p) {
  const std::int64_t period = 1 + dice.upto(3), size = 2 + dice.upto(2);
  p.shape.S = period * size;
  p.k = make_tensor(p.format, {1, 1, p.shape.S, p.shape.d_k});
  p.v = make_tensor(p.format, {1, 1, p.shape.S, p.shape.d_v});
  fill(dice, p.k, 1);
  repeat_keys(p, period);
  for (std::int64_t d = 0; d < p.shape.d_v; ++d) {
    for (std::int64_t n = 0; n < size; ++n) {
      const double v = static_cast<double>(dice.upto(500)) + (dice.one_in(2) ? 0.5 : 0);
      const std::int64_t turn = dice.upto(size);
      for (std::int64_t g = 0; g < period; ++g) {
        p.v.set(0, 0, ((n + turn * g) % size) * period + g, d, v);
      }
    }
  }
}

void cancelling(Dice& dice, Problem& p) {
  fill(dice, p.v, 1e4);
  repeat_keys(p, std::max<std::int64_t>(1, p.shape.S / 2));
  for (std::int64_t j = p.shape.S / 2; j < p.shape.S; ++j) {
    for (std::int64_t d = 0; d < p.shape.d_v && j - p.shape.S / 2 < p.shape.S / 2; ++d) {
      p.v.set(0, 0, j, d, -p.v.value(0, 0, j - p.shape.S / 2, d));
    }
  }
  if (dice.one_in(2)) p.k.set(0, 0, 0, 0, p.k.value(0, 0, 0, 0) * (1 + 0x1p-7));
}

void saturated(Dice& dice, Problem& p) {
  p.softcap = dice.one_in(2) ? 1 : 0.5 + static_cast<double>(dice.upto(40));
  fill(dice, p.q, p.softcap * (5 + static_cast<double>(dice.upto(25))));
  if (dice.one_in(2)) integers(dice, p.v, 3);
}

void subnormal(Dice& dice, Problem& p) {
  const double eta = info(p.format).eta;
  for (std::uint64_t& bits : p.v.bits) {
    bits = encode(p.format, static_cast<double>(dice.upto(20) - 10) * eta);
  }
  if (dice.one_in(3)) fill(dice, p.q, 8);
}

void features(Dice& dice, Problem& p) {
  const Shape& shape = p.shape;
  p.mask.causal = dice.one_in(2);
  if (dice.one_in(2)) p.mask.diagonal.kind = Diagonal::Kind::bottom_right;
  if (dice.one_in(3)) p.mask.window = Window{dice.upto(4), dice.upto(4)};
  if (dice.one_in(3)) p.mask.key_range = KeyRange{{dice.upto(1)}, {1 + dice.upto(shape.S - 1)}};
  if (dice.one_in(2)) {
    p.mask.bias = make_tensor(Format::binary32, {1, 1, dice.one_in(2) ? 1 : shape.L, shape.S});
    fill(dice, *p.mask.bias, 2);
    for (std::uint64_t& bits : p.mask.bias->bits) {
      if (dice.one_in(5)) {
        bits = encode(Format::binary32,
                      dice.one_in(2) ? -1e9 : -std::numeric_limits<double>::infinity());
      }
    }
  }
  if (dice.one_in(2)) {
    p.alibi_slopes = make_tensor(p.format, {1, 1, 1, 1});
    fill(dice, *p.alibi_slopes, 0.5);
  }
  if (dice.one_in(2)) {
    p.sinks = make_tensor(p.format, {1, 1, 1, 1});
    fill(dice, *p.sinks, 4);
  }
  if (dice.one_in(3)) p.softcap = 0.5 + std::fabs(dice.normal()) * 10;
  if (dice.one_in(3)) p.scale = dice.normal();
}

// Neighbours of the format: every output lies between two of them.
void halves(Dice& dice, Problem& p) {
  repeat_keys(p, 1 + dice.upto(1));
  for (std::uint64_t& bits : p.v.bits) {
    bits = encode(p.format, 1) + static_cast<std::uint64_t>(dice.upto(1));
  }
}

}  // namespace

std::string_view name(Stratum stratum) { return names[static_cast<std::size_t>(stratum)]; }

Problem hostile_problem(Stratum stratum, Format format, std::uint64_t seed) {
  Dice dice(seed * 64 + static_cast<std::uint64_t>(stratum) * 4 +
            static_cast<std::uint64_t>(format));
  Problem p;
  p.format = format;
  p.want_lse = true;
  Shape& shape = p.shape;
  shape.L = 1 + dice.upto(8);
  shape.S = dice.one_in(6) ? 17 + dice.upto(120) : 1 + dice.upto(15);
  shape.d_k = dice.one_in(6) ? 17 + dice.upto(20) : 1 + dice.upto(8);
  shape.d_v = dice.one_in(6) ? 17 : 1 + dice.upto(7);
  p.q = make_tensor(format, {1, 1, shape.L, shape.d_k});
  p.k = make_tensor(format, {1, 1, shape.S, shape.d_k});
  p.v = make_tensor(format, {1, 1, shape.S, shape.d_v});
  fill(dice, p.q, 1);
  fill(dice, p.k, 1);
  fill(dice, p.v, 1);
  const FormatInfo& range = info(format);
  switch (stratum) {
    case Stratum::gauss:
      break;
    case Stratum::equal:
      equal(dice, p);
      break;
    case Stratum::groups:
      groups(dice, p);
      break;
    case Stratum::cancelling:
      cancelling(dice, p);
      break;
    case Stratum::dominated:
      fill(dice, p.q, dice.one_in(2) ? 20 : 300);
      break;
    case Stratum::saturated:
      saturated(dice, p);
      break;
    case Stratum::subnormal:
      subnormal(dice, p);
      break;
    case Stratum::features:
      features(dice, p);
      break;
    case Stratum::wide:
      fill_wide(dice, p.v, range.e_min - range.precision, range.e_max - 4);
      if (dice.one_in(2)) fill_wide(dice, p.k, range.e_min / 2, range.e_max / 2 - 4);
      break;
    case Stratum::halves:
      halves(dice, p);
      break;
  }
  return p;
}

}  // namespace qkvet::test
