// The bound of one output as named terms, for `qkvet explain` and for the report of a finding.
#include <algorithm>
#include <cmath>
#include <qkvet/bound/admitter.hpp>
#include <qkvet/num/float_environment.hpp>

namespace qkvet {
namespace {

using bound::ColumnBound;
using bound::ColumnSums;
using bound::KeyBound;
using bound::RowBound;

struct PartName {
  const char* name;
  const char* section;
};
constexpr PartName part_names[bound::part_count] = {
    {"dot products", "3.1"},        {"scale", "3.2"},           {"softcap", "3.4"},
    {"bias and score adds", "3.3"}, {"score stores", "3.5"},    {"folded constant", "3.6"},
    {"underflow of scores", "3.2"}, {"argument of exp", "4.3"}, {"exp", "4.3"},
    {"merge weights", "4.4"}};

/// sum over keys of (p t) |V - o|, shared out among the parts of d in proportion.
std::array<double, bound::part_count> shares(const RowBound& row, const double* v, std::int64_t d_v,
                                             std::int64_t column, const ColumnSums& sums) {
  std::array<double, bound::part_count> out{};
  const double o = sums.o.mid() * sums.unit;
  for (const KeyBound& key : row.keys) {
    const double x = key.sink ? 0.0 : v[key.key * d_v + column];
    const double weight = key.excess.value() * std::fabs(x - o);
    if (!(key.d.value() > 0) || !key.d.is_finite() || !std::isfinite(weight)) continue;
    for (std::size_t part = 0; part < out.size(); ++part) {
      out[part] += weight * (key.parts[part].value() / key.d.value());
    }
  }
  return out;
}

}  // namespace

std::vector<Term> explain_bound(const Problem& problem, const Contract& contract,
                                const RowEnclosure& enclosure, std::int64_t column, std::int64_t b,
                                std::int64_t h, std::int64_t i) {
  const DefaultFloatEnvironment environment;
  if (enclosure.row_class != RowClass::live) return {};
  const RowBound row = bound::row_bound(problem, contract, enclosure, b, h, i);
  const std::int64_t d_v = problem.shape.d_v;
  std::vector<double> v(static_cast<std::size_t>(problem.shape.S * d_v));
  const std::int64_t head = problem.shape.kv_head(h);
  for (std::int64_t j = 0; j < problem.shape.S; ++j) {
    for (std::int64_t d = 0; d < d_v; ++d) {
      const double x = problem.v.value(b, head, j, d);
      if (std::isfinite(x)) v[static_cast<std::size_t>(j * d_v + d)] = x;
    }
  }
  const std::vector<ColumnSums> all = bound::column_sums(row, v.data(), d_v, enclosure.o);
  const ColumnSums& sums = all[static_cast<std::size_t>(column)];
  const ColumnBound bound = bound::column_bound(row, sums, v.data(), d_v, column);
  std::vector<Term> terms;
  double rest = bound.det.value();
  const auto add = [&](const char* name, const char* section, double value) {
    if (!(value > 0) || !std::isfinite(value)) return;
    value = std::min(value, rest);
    terms.push_back({name, section, value});
    rest -= value;
  };
  if (bound.box.value() < bound.simple.value()) {
    add("range of the weighted mean, its sums included", "5.2", bound.box.value());
  } else if (row.den > 0) {
    const auto parts = shares(row, v.data(), d_v, column, sums);
    for (std::size_t part = 0; part < parts.size(); ++part) {
      add(part_names[part].name, part_names[part].section, parts[part] / row.den);
    }
    add("rounding of the weights", "5.1", sums.rounded.value() * sums.unit / row.den);
    add("sum of P V", "4.8", sums.weighted_nu.value() * sums.unit / row.den);
    add("sum of weights", "4.3", sums.o.magnitude() * row.mu_sum.value() * sums.unit / row.den);
    const double used = bound.det.value() - rest;
    add("underflow and rounding of this evaluation", "4.6", bound.simple.value() - used);
  }
  add("normalisation, merge and store", "5.4", rest);
  return terms;
}

}  // namespace qkvet
