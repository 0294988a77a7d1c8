#include <array>
#include <qkvet/campaign/far_strides.hpp>
#include <qkvet/problem/draw.hpp>
#include <vector>

namespace qkvet {
namespace {

using Extents = std::array<std::int64_t, 4>;

constexpr std::int64_t far = std::int64_t{1} << 31;
constexpr std::int64_t most_elements = 1 << 14;  // each of them may touch a page of its own

struct Candidate {
  Layout* layout;
  Extents extents;
};

/// The tensors that may be laid out so: small, and with an axis of several slices.
std::vector<Candidate> candidates(Problem& p) {
  const Shape& s = p.shape;
  std::vector<Candidate> all = {{&p.layouts.q, p.q.extents},
                                {&p.layouts.k, p.k.extents},
                                {&p.layouts.v, p.v.extents},
                                {&p.layouts.o, {s.B, s.H_q, s.L, s.d_v}}};
  if (p.mask.attend) all.push_back({&p.layouts.attend, p.mask.attend->extents});
  if (p.mask.bias) all.push_back({&p.layouts.bias, p.mask.bias->extents});
  std::erase_if(all, [](const Candidate& one) {
    const Extents& e = one.extents;
    const std::int64_t count = e[0] * e[1] * e[2] * e[3];
    return count > most_elements || count < 2 || (e[0] < 2 && e[1] < 2 && e[2] < 2);
  });
  return all;
}

}  // namespace

bool stride_far(Problem& problem, const Domain& domain, std::uint64_t seed) {
  Choices choices = Choices::from_seed(mix(seed ^ 0x66617220617761U));
  if (!choices.chance(1, cases_per_far_stride) || domain.strided == Allow::never) return false;
  Problem p = problem;
  const std::vector<Candidate> all = candidates(p);
  if (all.empty()) return false;
  const Candidate& one = all[choices.below(all.size())];
  std::size_t axis = choices.below(3);
  while (one.extents[axis] < 2) axis = (axis + 1) % 3;
  Extents strides = strides_of({}, one.extents);  // contiguous but for this axis
  strides[axis] = far / (one.extents[axis] - 1) + choices.between(1, 9);
  one.layout->strides = strides;
  if (outside(domain, p)) return false;
  problem = std::move(p);
  return true;
}

}  // namespace qkvet
