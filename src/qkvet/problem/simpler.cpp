// The pass itself: every offer is checked to be smaller, valid and inside the domain before it is
// made.
#include <qkvet/num/error.hpp>
#include <qkvet/num/float_environment.hpp>
#include <qkvet/problem/simpler_parts.hpp>

namespace qkvet {

namespace detail {

bool Pass::offer(const Problem& candidate) {
  if (compare_complexity(candidate, current_) >= 0) return false;
  if (outside(domain_, candidate)) return false;
  try {
    validate(candidate);
  } catch (const InputError&) {
    return false;  // for example values that no longer agree along a stride of 0
  }
  if (!keep_(candidate)) return false;
  current_ = candidate;
  any_ = true;
  return true;
}

}  // namespace detail

bool simpler(const Problem& problem, const Domain& domain,
             const std::function<bool(const Problem&)>& keep) {
  const DefaultFloatEnvironment environment;
  detail::Pass pass(problem, domain, keep);
  detail::simplify_shape(pass);
  detail::simplify_features(pass);
  detail::simplify_mask_kinds(pass);
  detail::simplify_layouts(pass);
  detail::jump(pass);
  detail::simplify_values(pass);
  detail::search_values(pass);
  return pass.any();
}

}  // namespace qkvet
