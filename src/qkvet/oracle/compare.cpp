// The comparison of Arb and the definition: each must be tight, and they must meet everywhere.
// docs/oracle.md 5.
#include <fmt/format.h>

#include <cmath>
#include <qkvet/num/float_environment.hpp>
#include <qkvet/oracle/arb.hpp>
#include <qkvet/oracle/compare.hpp>
#include <qkvet/oracle/definition.hpp>
#include <qkvet/oracle/oracle.hpp>
#include <qkvet/oracle/tightness.hpp>

namespace qkvet {
namespace {

using Complaint = std::optional<std::string>;

Complaint apart(const std::string& what, const Interval& a, const Interval& b) {
  if (a.intersects(b)) return std::nullopt;
  return fmt::format("{}: Arb [{:a}, {:a}], definition [{:a}, {:a}]", what, a.lo, a.hi, b.lo, b.hi);
}

Complaint differ(const std::string& what, bool a, bool b) {
  if (a == b) return std::nullopt;
  return fmt::format("{}: Arb {}, definition {}", what, a, b);
}

// Two upper bounds of one sum: equal but for their own roundings (docs/oracle.md 5).
Complaint sums_differ(const std::string& what, double a, double b) {
  const bool same =
      (std::isinf(a) && std::isinf(b)) || std::fabs(a - b) <= 0x1p-20 * (a < b ? a : b) + 0x1p-1040;
  if (same) return std::nullopt;
  return fmt::format("{}: Arb {:a}, definition {:a}", what, a, b);
}

// The first complaint of a list of checks that are made one after the other.
template <class... Checks>
Complaint first_of(Checks... checks) {
  Complaint found;
  (void)((found = checks(), found.has_value()) || ...);
  return found;
}

Complaint key_disagreement(const KeyTrace& a, const KeyTrace& b) {
  const std::string at = a.sink ? " of the sink" : fmt::format(" of key {}", a.key);
  return first_of([&] { return differ("visibility" + at, a.visible, b.visible); },
                  [&] { return differ("finiteness" + at, a.finite, b.finite); },
                  [&] { return differ("being a sink" + at, a.sink, b.sink); },
                  [&] { return sums_differ("sum |q k|" + at, a.A, b.A); },
                  [&] { return sums_differ("sum |k|" + at, a.K1, b.K1); },
                  [&] { return sums_differ("max |k|" + at, a.k_max, b.k_max); },
                  [&] { return apart("scaled dot product" + at, a.x, b.x); },
                  [&] { return apart("bias" + at, a.bias, b.bias); },
                  [&] { return apart("score" + at, a.s, b.s); },
                  [&] { return apart("weight" + at, a.weight, b.weight); });
}

Complaint column_disagreement(const RowEnclosure& a, const RowEnclosure& b, std::size_t d) {
  const ColumnFacts &p = a.columns[d], &q = b.columns[d];
  const std::string at = fmt::format(" of column {}", d);
  return first_of(
      [&] { return differ("visible NaN" + at, p.visible_nan, q.visible_nan); },
      [&] { return differ("visible infinity" + at, p.visible_inf, q.visible_inf); },
      [&] { return differ("hidden nonfinite" + at, p.hidden_nonfinite, q.hidden_nonfinite); },
      [&] { return apart("output" + at, a.o[d], b.o[d]); });
}

Complaint row_disagreement(const RowEnclosure& a, const RowEnclosure& b) {
  const RowTrace &p = a.trace, &q = b.trace;
  return first_of(
      [&] {
        return differ("class is live", a.row_class == RowClass::live,
                      b.row_class == RowClass::live);
      },
      [&] {
        return differ("class is empty", a.row_class == RowClass::empty,
                      b.row_class == RowClass::empty);
      },
      [&] { return differ("visible NaN", a.visible_nan, b.visible_nan); },
      [&] { return differ("visible infinity", a.visible_inf, b.visible_inf); },
      [&] { return differ("hidden nonfinite", a.hidden_nonfinite, b.hidden_nonfinite); },
      [&] { return differ("same number of entries", true, p.keys.size() == q.keys.size()); },
      [&] { return differ("same number of visible keys", true, p.n == q.n); },
      [&] { return sums_differ("sum |q|", p.Q1, q.Q1); },
      [&] { return sums_differ("max |q|", p.q_max, q.q_max); },
      [&] { return apart("scale", p.scale, q.scale); });
}

std::vector<double> value_maxima(const Problem& problem, std::int64_t b, std::int64_t h) {
  return HeadFacts(problem, b, problem.shape.kv_head(h)).value_max;
}

}  // namespace

Complaint disagreement(const RowEnclosure& a, const RowEnclosure& b) {
  if (Complaint found = row_disagreement(a, b)) return found;
  for (std::size_t j = 0; j < a.trace.keys.size(); ++j) {
    if (Complaint found = key_disagreement(a.trace.keys[j], b.trace.keys[j])) return found;
  }
  const RowTrace &p = a.trace, &q = b.trace;
  Complaint found = first_of([&] { return apart("maximum", p.m, q.m); },
                             [&] { return apart("log-sum-exp", p.lse, q.lse); },
                             [&] {
                               return apart("log-sum-exp without the sink", p.lse_without_sink,
                                            q.lse_without_sink);
                             });
  for (std::size_t d = 0; d < a.o.size() && !found; ++d) found = column_disagreement(a, b, d);
  return found;
}

Complaint cross_check_with(const Problem& problem, const Semantics& semantics,
                           const Sabotage* in_arb, const Sabotage* in_definition) {
  const DefaultFloatEnvironment environment;
  ArbRung arb(problem, semantics, in_arb);
  DefinitionRung definition(problem, semantics, DefinitionRung::Digits::adaptive, in_definition);
  const Shape& shape = problem.shape;
  for (std::int64_t b = 0; b < shape.B; ++b) {
    for (std::int64_t h = 0; h < shape.H_q; ++h) {
      const std::vector<double> value_max = value_maxima(problem, b, h);
      for (std::int64_t i = 0; i < shape.L; ++i) {
        const RowEnclosure one = arb.row(b, h, i), other = definition.row(b, h, i);
        Complaint found = disagreement(one, other);
        if (!found && (found = not_tight(one, value_max))) *found += ": Arb's enclosure is wide";
        if (!found && (found = not_tight(other, value_max))) {
          *found += ": the definition's enclosure is wide";
        }
        if (found) return fmt::format("row (b {}, h {}, i {}): {}", b, h, i, *found);
      }
    }
  }
  return std::nullopt;
}

std::optional<std::string> cross_check(const Problem& problem, const Semantics& semantics) {
  return cross_check_with(problem, semantics, nullptr, nullptr);
}

}  // namespace qkvet
