// Which fields of a contract exclude each other: no kernel is both, or nothing could be said of it.
#include <fmt/format.h>

#include <cmath>
#include <qkvet/contract/builtin.hpp>
#include <qkvet/contract/value_text.hpp>

namespace qkvet::detail {
namespace {

/// One field beside its value, as the text has it.
struct Given {
  std::string name, value;
};

template <class T>
Given given(std::string_view name, const T& value) {
  return {std::string(name), print_value(value)};
}
Given count(std::string_view name, int value) { return {std::string(name), std::to_string(value)}; }

Contradiction between(const Given& a, const Given& b, std::string why) {
  return {{a.name, b.name},
          fmt::format("{} = {} and {} = {}", a.name, a.value, b.name, b.value),
          std::move(why)};
}

std::optional<Contradiction> in_promises(const Contract& contract) {
  const Arithmetic& a = contract.arithmetic;
  const Promises& p = contract.promises;
  const Semantics& s = contract.semantics;
  if (p.selection && s.empty_row == Semantics::EmptyRow::mean) {
    return between(given("empty_row", s.empty_row), given("selection", p.selection),
                   "the mean of V reads hidden keys");
  }
  if (p.exact_one && a.shift == Arithmetic::Shift::fused) {
    return between(given("shift", a.shift), given("exact_one", p.exact_one),
                   "the rounded product of the shift makes the top weight differ from 1");
  }
  if (p.exact_one && a.unchanged_max == Arithmetic::UnchangedMax::rounded) {
    return between(given("unchanged_max", a.unchanged_max), given("exact_one", p.exact_one),
                   "a rescale that is not exactly 1 moves the weight of a single key");
  }
  return std::nullopt;
}

/// docs/bounds.md 1.5 and 1.6
std::optional<Contradiction> in_products(const Arithmetic& a) {
  const Given operands = given("operands", a.operands);
  const bool tf32 = a.operands != Arithmetic::Operands::stored;
  for (const Given& sum : {given("dot", a.dot), given("accumulator", a.accumulator)}) {
    if (tf32 && sum.value != "f32")
      return between(sum, operands, "products of TF32 are summed in f32");
  }
  if (a.adder_terms < 1) {
    return between(count("adder_terms", a.adder_terms), given("dot", a.dot),
                   "an adder takes at least one product; 1 is an ordinary adder");
  }
  return std::nullopt;
}

/// docs/bounds.md 4.7: what is at least that may not be stored as a number.
double border_of(Arithmetic::Narrow format) {
  return format == Arithmetic::Narrow::e4m3 ? 464 : 61440;
}

std::optional<Contradiction> in_weights(const Arithmetic& a) {
  const Given scale = given("weight_scale", a.weight_scale);
  const Given narrow = given("narrow_weight", a.narrow_weight);
  const bool is_narrow = a.narrow_weight != Arithmetic::Narrow::no;
  if (!is_narrow && (a.weight_scale < 1 || a.weight_scale > 1)) {
    return between(scale, narrow, "only weights that are rounded to 8 bits are scaled for it");
  }
  if (!is_narrow) return std::nullopt;
  if (!(a.weight_scale > 0)) return between(scale, narrow, "all weights would be 0");
  if (!(a.weight_scale < border_of(a.narrow_weight))) {
    return between(scale, narrow, "a weight of 1 would overflow");
  }
  if (!(a.lazy_rescale + std::log(a.weight_scale) < std::log(border_of(a.narrow_weight)))) {
    return between(given("lazy_rescale", a.lazy_rescale), narrow,
                   fmt::format("weights of up to e^{} would overflow in every row, and nothing "
                               "could be said of any",
                               a.lazy_rescale));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Contradiction> contradiction_in(const Contract& contract) {
  const Arithmetic& a = contract.arithmetic;
  if (a.renormalises && a.norm_first == Arithmetic::Choice::yes) {
    return between(given("renormalises", a.renormalises), given("norm_first", a.norm_first),
                   "weights that are normalised first leave nothing to divide at each tile");
  }
  if (a.merge != Arithmetic::Merge::none && a.merge_levels < 1) {
    return between(given("merge", a.merge), count("merge_levels", a.merge_levels),
                   "a merge has at least one level; write merge = none");
  }
  if (auto found = in_promises(contract)) return found;
  if (auto found = in_products(a)) return found;
  return in_weights(a);
}

}  // namespace qkvet::detail
