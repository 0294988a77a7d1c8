// Puts the steps together for one row: letters, facts, score errors, weight errors, overflow.
#include <cmath>
#include <qkvet/bound/row_bound.hpp>

namespace qkvet::bound {
namespace {

BiasParts bias_parts(const Problem& problem, const Letters& l, const KeyTrace& key, std::int64_t b,
                     std::int64_t h, std::int64_t i, std::int64_t offset) {
  BiasParts parts;
  if (key.sink) {
    parts.flushed = l.flushed(problem.sinks->format, problem.sinks->value(h, 0, 0, 0));
    return parts;
  }
  if (problem.mask.bias) {
    parts.bias = {std::fabs(bias_value(problem, b, h, i, key.key))};
    // A bias of -inf that is visible lies inside the softcap, where it saturates: no finite part.
    if (!parts.bias.is_finite()) parts.bias = {};
    parts.flushed = l.flushed(problem.mask.bias->format, parts.bias.value());
  }
  if (problem.alibi_slopes) {
    const double slope = problem.alibi_slopes->value(h, 0, 0, 0);
    const Mag distance{std::fabs(static_cast<double>(i + offset - key.key))};
    parts.alibi = Mag{std::fabs(slope)} * distance;
    const bool first = l.words.alibi_origin == Arithmetic::AlibiOrigin::first_key;
    parts.distance = first ? max(distance, Mag{static_cast<double>(key.key)}) : distance;
    parts.flushed += l.flushed(problem.alibi_slopes->format, slope) * parts.distance;
  }
  return parts;
}

}  // namespace

RowBound row_bound(const Problem& problem, const Contract& contract, const RowEnclosure& enclosure,
                   std::int64_t b, std::int64_t h, std::int64_t i) {
  const RowTrace& trace = enclosure.trace;
  RowBound row;
  row.letters = letters_of(contract.arithmetic, problem.shape, trace.n);
  row.facts = row_facts(problem, contract, trace, row.letters, b, h, i);
  const std::int64_t offset = problem.alibi_slopes ? diagonal_offset(problem, b) : 0;
  row.keys.reserve(static_cast<std::size_t>(trace.n));
  for (const KeyTrace& key : trace.keys) {
    if (!key.visible) continue;
    row.keys.emplace_back();
    score_error(row.letters, row.facts, key,
                bias_parts(problem, row.letters, key, b, h, i, offset), row.keys.back());
  }
  weight_errors(trace, row);
  row_overflow(problem, contract, trace, row);
  return row;
}

}  // namespace qkvet::bound
