// A smaller shape may need what the larger one did not: one key shows a wrong weight only beside a
// sink, or in the LSE. Without such jumps a search ends at one key with an LSE or at two without,
// by where it began.
#include <numeric>
#include <qkvet/problem/simpler_parts.hpp>

namespace qkvet::detail {
namespace {

using Change = void (*)(Problem&);

void lse(Problem& p) { p.want_lse = true; }
void sink(Problem& p) {
  if (!p.sinks) p.sinks = make_tensor(p.format, {p.shape.H_q, 1, 1, 1});
}
void ones(Problem& p) {
  for (std::uint64_t& bits : p.v.bits) bits = encode(p.format, 1);
}

/// What shows more, the cheapest first.
constexpr Change shows[] = {
    ones,
    lse,
    sink,
    [](Problem& p) { sink(p), ones(p); },
    [](Problem& p) { lse(p), sink(p); },
    [](Problem& p) {
      if (uses_diagonal(p)) lse(p), p.mask.diagonal = {Diagonal::Kind::fixed, {1}};
    },
};

/// Only the first index, or only the last: what `cut` of each axis leaves.
void jump_along(Pass& pass, Axis axis, std::int64_t least) {
  const std::int64_t now = extent(pass.current(), axis);
  if (now <= least) return;
  for (const std::int64_t from : {std::int64_t{0}, now - least}) {
    std::vector<std::int64_t> kept(static_cast<std::size_t>(least));
    std::iota(kept.begin(), kept.end(), from);
    for (const Change show : shows) {
      Problem p = cut(pass.current(), axis, kept);
      show(p);
      if (pass.offer(p)) return;
    }
  }
}

}  // namespace

void jump(Pass& pass) {
  constexpr std::int64_t most = 4;  // Beyond it the shape is what the fault is about.
  for (const Axis axis : {Axis::key, Axis::row, Axis::row_and_key, Axis::d_v, Axis::d_both}) {
    const std::int64_t now = extent(pass.current(), axis);
    if (now > 1 && now <= most) jump_along(pass, axis, 1);
    if (now > 2 && now <= most) jump_along(pass, axis, now - 1);
  }
  // What an LSE shows one value may show.
  if (pass.current().want_lse && !pass.current().v.bits.empty()) {
    Problem p = pass.current();
    p.want_lse = false;
    p.layouts.lse = {};
    for (std::uint64_t& bits : p.v.bits) bits = 0;
    p.v.bits.back() = encode(p.format, 1);
    pass.offer(p);
    ones(p);
    pass.offer(p);
  }
  // A sink and an LSE show the same sum; beside an LSE no value is needed.
  Problem p = pass.current();
  if (!p.sinks || p.want_lse) return;
  p.sinks.reset();
  p.want_lse = true;
  for (std::uint64_t& bits : p.v.bits) bits = 0;
  pass.offer(p);
}

}  // namespace qkvet::detail
