// reject-or-correct: at the borders of what it takes, a candidate refuses cleanly or is correct. Here
// for case (d) of relations.md rule 1: extents at their limits, which are seldom drawn. One run, so
// that one refusal hides no other; refusals are counted, and a refusal inside limits that the
// candidate itself declared is a finding (docs/properties.md).
#include <algorithm>

#include "properties/family.hpp"
#include "properties/list.hpp"

namespace qkvet {
namespace {

constexpr std::string_view name = "reject-or-correct";

struct Border {
  const char* role;
  void (*set)(Shape&, const Domain&);
};

/// The limit, or another size, where the limit would make a problem that costs too much.
std::int64_t at_most(const Range& range, std::int64_t affordable, std::int64_t other) {
  const std::int64_t size = range.max <= affordable ? range.max : other;
  return std::max(size, range.min);
}

void set_d_k(Shape& s, const Domain& d, std::int64_t size) {
  s.d_k = d.unequal_heads == Allow::never ? (s.d_v = size) : size;
}

const Border borders[] = {
    {"as many channels as it takes",
     [](Shape& s, const Domain& d) { set_d_k(s, d, at_most(d.d_k, 1024, 320)); }},
    {"256 channels", [](Shape& s, const Domain& d) { set_d_k(s, d, at_most(d.d_k, 256, 256)); }},
    {"one channel more than 256",
     [](Shape& s, const Domain& d) { set_d_k(s, d, at_most(d.d_k, 257, 257)); }},
    {"as many columns as it takes",
     [](Shape& s, const Domain& d) { s.d_v = at_most(d.d_v, 1024, 264); }},
    {"as many keys as it takes", [](Shape& s, const Domain& d) { s.S = at_most(d.S, 4096, 1025); }},
    {"as many rows as it takes", [](Shape& s, const Domain& d) { s.L = at_most(d.L, 1024, 129); }},
    {"as many heads as it takes",
     [](Shape& s, const Domain& d) {
       s.H_q = at_most(d.H_q, 256, 40);
       if (s.H_q % s.H_kv != 0 || d.grouped == Allow::never) s.H_kv = s.H_q;
     }},
    {"as many entries as it takes",
     [](Shape& s, const Domain& d) { s.B = at_most(d.B, 256, 70); }},
    {"one of everything",
     [](Shape& s, const Domain&) { s = Shape{1, 1, 1, 1, 1, 1, 1}; }},
    {"one key", [](Shape& s, const Domain&) { s.S = 1; }},
    {"no key", [](Shape& s, const Domain&) { s.S = 0; }},
    {"no row", [](Shape& s, const Domain&) { s.L = 0; }},
    {"no entry", [](Shape& s, const Domain&) { s.B = 0; }},
    {"no channel", [](Shape& s, const Domain&) { s.d_k = 0; }},
    {"no column", [](Shape& s, const Domain&) { s.d_v = 0; }},
};

std::int64_t small(const Range& range, std::int64_t size) {
  return std::clamp(size, range.min, std::max(range.min, range.max));
}

/// As small as the limits allow but for what the border sets.
Shape shape_at(const Border& border, const Problem& problem, const Domain& limits) {
  const Shape& s = problem.shape;
  Shape at{small(limits.B, 1),           small(limits.H_q, 2),
           small(limits.H_kv, 1),        small(limits.L, 1 + s.L % 3),
           small(limits.S, 2 + s.S % 7), small(limits.d_k, 2),
           small(limits.d_v, 2)};
  if (limits.grouped == Allow::never || at.H_q % at.H_kv != 0) at.H_q = at.H_kv;
  if (limits.unequal_lengths == Allow::never) at.L = at.S;
  if (limits.unequal_heads == Allow::never) at.d_v = at.d_k;
  border.set(at, limits);
  if (limits.unequal_lengths == Allow::never && at.L != at.S) at.L = at.S = std::max(at.L, at.S);
  if (limits.unequal_heads == Allow::never) at.d_v = at.d_k;
  return at;
}

/// The problem's options at another shape, with values of its own; masks by tensors are dropped.
Problem at_border(const Problem& problem, const Shape& shape) {
  Problem p;
  p.format = problem.format;
  p.shape = shape;
  p.scale = problem.scale;
  if (shape.d_k == 0) p.scale = 1;
  p.softcap = problem.softcap;
  p.want_lse = problem.want_lse;
  p.mask.causal = problem.mask.causal;
  if (problem.mask.diagonal.kind == Diagonal::Kind::bottom_right && p.mask.causal) {
    p.mask.diagonal.kind = Diagonal::Kind::bottom_right;
  }
  p.q = make_tensor(p.format, {shape.B, shape.H_q, shape.L, shape.d_k});
  p.k = make_tensor(p.format, {shape.B, shape.H_kv, shape.S, shape.d_k});
  p.v = make_tensor(p.format, {shape.B, shape.H_kv, shape.S, shape.d_v});
  Choices choices = choices_of(name);
  for (Tensor* tensor : {&p.q, &p.k, &p.v}) {
    for (std::uint64_t& bits : tensor->bits) {
      bits = encode(p.format, static_cast<double>(choices.between(-96, 96)) / 64);
    }
  }
  return p;
}

/// One border after the other, as the problem's shape has it; the next one where the limits leave it
/// out. No run if they leave out all.
Plan plan(const Problem& problem, const Contract& contract) {
  const Shape& s = problem.shape;
  constexpr std::size_t count = std::size(borders);
  const auto start = static_cast<std::size_t>(s.B + 2 * s.H_q + 3 * s.L + 5 * s.S + 7 * s.d_k +
                                              11 * s.d_v);
  for (std::size_t n = 0; n < count; ++n) {
    const Border& border = borders[(start + n) % count];
    Problem p = at_border(problem, shape_at(border, problem, contract.limits));
    if (outside(contract.limits, p)) continue;
    return {{{std::move(p), border.role}}, {}};
  }
  return {};
}

std::optional<std::string> when(const Problem& p, const Contract& contract) {
  if (plan(p, contract).runs.empty()) return "no border lies inside the limits";
  return std::nullopt;
}

}  // namespace

constinit const Property reject_or_correct{
    name,
    "At the borders of its limits a call is refused cleanly or answered correctly.",
    applies_when<when, plan>,
    plan,
    judge_each_run<name>,
    every_impostor,
    nullptr,
    "channels_beyond_256_dropped"};

}  // namespace qkvet
