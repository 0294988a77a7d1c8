// The parts of `simpler`, one file each; internal to the room.
#pragma once

#include <functional>
#include <qkvet/problem/axes.hpp>
#include <qkvet/problem/domain.hpp>
#include <qkvet/problem/simpler.hpp>

namespace qkvet::detail {

/// One pass: the problem so far, and the offers made from it.
class Pass {
 public:
  Pass(const Problem& problem, const Domain& domain,
       const std::function<bool(const Problem&)>& keep)
      : current_(problem), domain_(domain), keep_(keep) {}

  /// Offers the candidate if it is smaller, valid and inside the domain; true if it was taken.
  bool offer(const Problem& candidate);
  [[nodiscard]] const Problem& current() const { return current_; }
  [[nodiscard]] const Domain& domain() const { return domain_; }
  [[nodiscard]] bool any() const { return any_; }

 private:
  Problem current_;
  const Domain& domain_;
  const std::function<bool(const Problem&)>& keep_;
  bool any_ = false;
};

void simplify_shape(Pass& pass);
void simplify_features(Pass& pass);
/// Masks of a simpler kind that hide a key too.
void simplify_mask_kinds(Pass& pass);
void simplify_layouts(Pass& pass);
/// Fewer keys, rows or channels at the price of a feature that shows more: an LSE, a sink of 0.
void jump(Pass& pass);
void simplify_values(Pass& pass);
/// Few values: the simplest assignment that is kept, wherever the steps above came from.
void search_values(Pass& pass);

/// How complicated an encoding is: 0 is 0, then 1, -1, small integers, then by significant bits.
[[nodiscard]] std::uint64_t cost(Format format, std::uint64_t bits);

/// |x| rounded down to `width` significant bits, with the sign of x.
[[nodiscard]] double shorter(double x, int width);

}  // namespace qkvet::detail
