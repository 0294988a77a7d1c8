#include <limits>
#include <qkvet/campaign/fuzz_graft.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/domain.hpp>

namespace qkvet {
namespace {

constexpr std::int64_t most_work = 200'000;  // multiply-adds

/// The domain with the extents and the format of the case.
Domain same_shape(const Problem& base, Domain domain) {
  domain.work_budget = std::numeric_limits<std::int64_t>::max();
  const Shape& s = base.shape;
  domain.formats = {base.format};
  domain.B = {s.B, s.B};
  domain.H_q = {s.H_q, s.H_q};
  domain.H_kv = {s.H_kv, s.H_kv};
  domain.L = {s.L, s.L};
  domain.S = {s.S, s.S};
  domain.d_k = {s.d_k, s.d_k};
  domain.d_v = {s.d_v, s.d_v};
  return domain;
}

using Graft = void (*)(Problem& child, const Problem& other);

constexpr Graft grafts[] = {
    [](Problem& child, const Problem& other) {
      child.mask = other.mask;
      child.layouts.attend = other.layouts.attend;
      child.layouts.bias = other.layouts.bias;
    },
    [](Problem& child, const Problem& other) {
      child.mask.causal = other.mask.causal;
      child.mask.diagonal = other.mask.diagonal;
    },
    [](Problem& child, const Problem& other) { child.mask.window = other.mask.window; },
    [](Problem& child, const Problem& other) { child.mask.key_range = other.mask.key_range; },
    [](Problem& child, const Problem& other) {
      child.mask.attend = other.mask.attend;
      child.layouts.attend = other.layouts.attend;
    },
    [](Problem& child, const Problem& other) {
      child.mask.bias = other.mask.bias;
      child.layouts.bias = other.layouts.bias;
    },
    [](Problem& child, const Problem& other) {
      child.q = other.q, child.layouts.q = other.layouts.q;
    },
    [](Problem& child, const Problem& other) {
      child.k = other.k, child.layouts.k = other.layouts.k;
    },
    [](Problem& child, const Problem& other) {
      child.v = other.v, child.layouts.v = other.layouts.v;
    },
    [](Problem& child, const Problem& other) {
      child.scale = other.scale;
      child.softcap = other.softcap;
    },
    [](Problem& child, const Problem& other) { child.sinks = other.sinks; },
    [](Problem& child, const Problem& other) { child.alibi_slopes = other.alibi_slopes; },
    [](Problem& child, const Problem& other) {
      child.want_lse = other.want_lse;
      child.layouts.lse = other.layouts.lse;
      child.call = other.call;
    },
};

}  // namespace

Problem grafted(Choices& random, const Problem& base, const Domain& domain) {
  if (base.shape.work() > most_work) return base;
  const Problem other = draw(random, same_shape(base, domain)).problem;
  if (!(other.shape == base.shape) || other.format != base.format) return base;
  Problem child = base;
  const std::int64_t steps = random.between(1, 3);
  for (std::int64_t n = 0; n < steps; ++n) grafts[random.below(std::size(grafts))](child, other);
  if (!child.want_lse) child.layouts.lse = {};
  if (!uses_diagonal(child)) child.mask.diagonal = {};
  try {
    validate(child);
  } catch (const InputError&) {
    return base;
  }
  return child;
}

}  // namespace qkvet
