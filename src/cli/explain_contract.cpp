#include "cli/explain_contract.hpp"

#include <fmt/format.h>

#include <qkvet/contract/value_text.hpp>
#include <qkvet/report/wrap.hpp>
#include <vector>

namespace qkvet::cli {
namespace {

using A = Arithmetic;
using Sentences = std::vector<std::string>;

std::string name(Format format) { return std::string(info(format).name); }

std::string units(double count, Format format) {
  return fmt::format("{} u of {} ({:.2g})", count, info(format).name, count * info(format).u);
}

/// "yes", "no" or "perhaps", each with its own words.
std::string choice(A::Choice value, std::string_view yes, std::string_view no,
                   std::string_view any) {
  return std::string(value == A::Choice::yes ? yes : value == A::Choice::no ? no : any);
}

Sentences products(const A& a) {
  Sentences out;
  out.push_back(a.dot_lanes > 0 ? fmt::format("q.k is summed in {}, in {} partial sums.",
                                              name(a.dot), a.dot_lanes)
                                : fmt::format("q.k is summed in {}, in any order.", name(a.dot)));
  if (a.operands != A::Operands::stored) {
    out.push_back(
        fmt::format("In both products q, k, V and weights keep the 11 bits of TF32, {}.",
                    a.operands == A::Operands::tf32 ? "rounded to nearest" : "rounded or cut off"));
  }
  if (a.adder_terms > 1) {
    out.push_back(
        fmt::format("Adders of products take at least {} at once, aligned to the largest, "
                    "and cut off below 24 bits.",
                    a.adder_terms));
  }
  switch (a.scale_side) {
    case A::ScaleSide::after:
      out.emplace_back("The scale is multiplied in after the product.");
      break;
    case A::ScaleSide::q:
    case A::ScaleSide::k:
      out.push_back(fmt::format("The scale is multiplied into {}, which is then held in {}.",
                                a.scale_side == A::ScaleSide::q ? "q" : "k", name(a.scaled)));
      break;
    case A::ScaleSide::sqrt_both:
      out.push_back(
          fmt::format("q and k are each multiplied with the root of the scale and held in {}.",
                      name(a.scaled)));
      break;
    case A::ScaleSide::any:
      out.push_back(
          fmt::format("The scale may be multiplied in anywhere; a scaled q or k is held in {}.",
                      name(a.scaled)));
      break;
  }
  return out;
}

Sentences scores(const A& a) {
  Sentences out;
  out.push_back(fmt::format("Scores are computed in {}; the constant (scale, log2 e) is off by {}.",
                            name(a.score), units(a.constant_error, a.score)));
  if (a.score_stores > 0) {
    out.push_back(
        fmt::format("Scores are stored in {}, {} times before softcap and bias, and once "
                    "more after each bias; beyond {:.5g} a row is uncheckable.",
                    name(a.score_store), a.score_stores, info(a.score_store).max));
  }
  out.push_back(fmt::format("tanh is within {}{}.", units(a.tanh_error, a.score),
                            a.tanh_absolute ? ", absolute (times the cap)" : ""));
  switch (a.mask_by) {
    case A::MaskBy::exclusion:
      out.emplace_back("Hidden keys are left out.");
      break;
    case A::MaskBy::minus_inf:
      out.emplace_back("Keys are hidden by -inf.");
      break;
    case A::MaskBy::finite:
      out.emplace_back("Keys are hidden by a large finite score.");
      break;
    case A::MaskBy::any:
      out.emplace_back("Keys may be hidden in any way, by a finite score too.");
      break;
  }
  if (a.two_scores) out.emplace_back("Numerator and denominator may use scores computed twice.");
  if (a.alibi_origin == A::AlibiOrigin::first_key) {
    out.emplace_back("ALiBi counts from the first key; the LSE is not checked then.");
  }
  return out;
}

std::string shift_words(const A& a) {
  std::string text = "The maximum is subtracted ";
  text += a.shift == A::Shift::exact   ? "exactly"
          : a.shift == A::Shift::fused ? "inside a fused multiply-add"
                                       : "exactly or inside a fused multiply-add";
  if (a.lazy_rescale > 0) text += fmt::format("; a score may exceed it by {}", a.lazy_rescale);
  return text + ".";
}

Sentences weights(const A& a) {
  Sentences out;
  out.push_back(
      fmt::format("exp is within {}{}.", units(a.exp_error, a.score),
                  a.exp_flushes ? " and may flush below the smallest normal number" : ""));
  out.push_back(shift_words(a));
  if (a.late_sink != A::Choice::no) out.emplace_back("A sink may be added after the loop.");
  if (a.rounds_weight != A::Choice::no) {
    out.push_back(fmt::format("Weights {} rounded to {} before P V.",
                              a.rounds_weight == A::Choice::yes ? "are" : "may be",
                              name(a.weight)));
  }
  if (a.narrow_weight != A::Narrow::no) {
    out.push_back(fmt::format("{} times a weight is rounded to {} before P V.", a.weight_scale,
                              detail::print_value(a.narrow_weight)));
  }
  const bool rounded = a.rounds_weight != A::Choice::no || a.narrow_weight != A::Narrow::no ||
                       a.operands != A::Operands::stored;
  if (rounded) {
    out.push_back(choice(a.sum_of_rounded, "Their sum is taken after that rounding.",
                         "Their sum is taken before that rounding.",
                         "Their sum may be taken before or after that rounding."));
  }
  out.push_back(choice(a.norm_first, "They are divided by their sum before P V.",
                       "They are divided by their sum at the end.",
                       "They may be divided by their sum before P V or at the end."));
  return out;
}

Sentences sums(const A& a) {
  Sentences out;
  out.push_back(a.tile > 0
                    ? fmt::format("Weights and P V are summed in {}, {} keys at a time.",
                                  name(a.accumulator), a.tile)
                    : fmt::format("Weights and P V are summed in {}, in any order and tiles.",
                                  name(a.accumulator)));
  if (info(a.accumulator).precision < 24) {
    out.push_back(
        fmt::format("From {:.0f} keys on, such sums promise nothing: those places are vacuous.",
                    0.5 / info(a.accumulator).u));
  }
  if (a.rescales == 0) {
    out.emplace_back("The maximum is known before (two passes).");
  } else if (a.unchanged_max == A::UnchangedMax::rounded) {
    out.emplace_back("A rescale by an unchanged maximum may be off by its rounding.");
  }
  if (a.renormalises)
    out.emplace_back("The output may be divided by the running sum at each tile.");
  if (a.merge != A::Merge::none) {
    out.push_back(
        fmt::format("Parts of a row may be merged by {} on {} level{}; a part is held in {}.",
                    a.merge == A::Merge::lse ? "their LSE" : "a sigmoid of their LSEs",
                    a.merge_levels, a.merge_levels == 1 ? "" : "s", name(a.part)));
  }
  out.push_back(fmt::format("The division is within {}, log within {}.",
                            units(a.divide_error, a.accumulator), units(a.log_error, a.score)));
  out.push_back(a.flushes ? fmt::format("Small numbers may be flushed to zero (FTZ, DAZ){}.",
                                        a.f16_flushes ? "" : ", those of f16 not")
                          : "Nothing is flushed to zero.");
  if (a.truncates) out.emplace_back("Adders may cut off instead of rounding.");
  return out;
}

Sentences conventions(const Semantics& s) {
  Sentences out;
  const auto say = [&](const auto& value, std::string_view what) {
    const std::string word = detail::print_value(value);
    out.push_back(word == "exempt" ? fmt::format("{}: not said, so not checked.", what)
                                   : fmt::format("{}: {}.", what, word));
  };
  say(s.empty_row, "Output of a row without a visible key");
  say(s.empty_lse, "its LSE");
  say(s.lse_base, "base of the LSE");
  say(s.lse_sink, "a sink in the LSE");
  say(s.visible_nan, "a NaN that a row sees");
  out.emplace_back(s.cap_order == Semantics::CapOrder::cap_then_bias ? "Softcap before the bias."
                                                                     : "Softcap after the bias.");
  return out;
}

Sentences promises(const Promises& all) {
  Sentences out;
  detail::visit_promises(all, [&](std::string_view, bool given, std::string_view meaning) {
    if (given) out.push_back(fmt::format("{};", meaning));
  });
  if (out.empty()) return {"none beyond the values."};
  out.back().back() = '.';
  return out;
}

}  // namespace

std::string contract_in_words(const Contract& contract) {
  const A& a = contract.arithmetic;
  std::string text = fmt::format(
      "{}/{}: for q, k and V stored in {}; O in {}, LSE in {}{}\n", contract.name, contract.version,
      name(contract.format), name(a.out), name(a.lse_out), contract.assumed ? " (assumed)" : "");
  const auto add = [&](std::string_view title, const Sentences& sentences) {
    text += wrapped(fmt::format(" {:<12}", title), sentences, "              ");
  };
  add("products", products(a));
  add("scores", scores(a));
  add("weights", weights(a));
  add("sums", sums(a));
  add("conventions", conventions(contract.semantics));
  add("promises", promises(contract.promises));
  const std::string limits = write_domain(contract.limits);
  text += " limits       ";
  for (const char c : limits.empty() ? std::string("none") : limits) text += c == '\n' ? ' ' : c;
  text += "\n";
  return text +
         " Whatever an honest kernel of this kind can compute is admitted; what none can is a "
         "FAIL.\n"
         " Fields in full: qkvet list contracts NAME; their meaning: docs/contract.md\n";
}

}  // namespace qkvet::cli
