// neighbour-independence, batch-invariance, batch-permutation, head-permutation,
// grouped-equals-repeated: entries and heads have nothing to do with each other. Here for cases (a)
// and (d) of relations.md rule 1: bits where they are promised, and batches that are not drawn.
#include <algorithm>
#include <limits>

#include "properties/family.hpp"
#include "properties/list.hpp"
#include "properties/rewrites.hpp"

namespace qkvet {
namespace {

constexpr std::string_view neighbour_name = "neighbour-independence";
constexpr std::string_view batch_name = "batch-invariance";
constexpr std::string_view entries_name = "batch-permutation";
constexpr std::string_view heads_name = "head-permutation";
constexpr std::string_view grouped_name = "grouped-equals-repeated";

// --- other rows

struct RowIndex {
  std::int64_t b, h, i;
};

RowIndex kept_row(const Shape& s) {
  Choices choices = choices_of(neighbour_name);
  return {choices.between(0, s.B - 1), choices.between(0, s.H_q - 1), choices.between(0, s.L - 1)};
}

/// Every q but that of the row, every k and v but those that it reads := other().
template <class Other>
Problem with_neighbours(const Problem& problem, const RowIndex& row, const Other& other) {
  Problem p = problem;
  const Shape& s = p.shape;
  const auto change = [&](Tensor& tensor, const auto& stays) {
    for (std::int64_t b = 0; b < tensor.extents[0]; ++b)
      for (std::int64_t h = 0; h < tensor.extents[1]; ++h)
        for (std::int64_t i = 0; i < tensor.extents[2]; ++i)
          for (std::int64_t c = 0; c < tensor.extents[3]; ++c) {
            if (!stays(b, h, i)) tensor.set(b, h, i, c, other());
          }
  };
  change(p.q, [&](auto b, auto h, auto i) { return b == row.b && h == row.h && i == row.i; });
  const auto read = [&](auto b, auto g, auto) { return b == row.b && g == s.kv_head(row.h); };
  change(p.k, read);
  change(p.v, read);
  p.layouts.q = p.layouts.k = p.layouts.v = {};
  return p;
}

/// map: {b, h, i} of the row that stays.
Plan plan_neighbours(const Problem& problem, const Contract& contract) {
  const RowIndex row = kept_row(problem.shape);
  Choices choices = choices_of("neighbours");
  const auto garbage = [&] { return static_cast<double>(choices.between(-512, 511)) / 16; };
  Plan plan{{{problem, ""}, {with_neighbours(problem, row, garbage), "other rows changed"}},
            {row.b, row.h, row.i}};
  const auto nan = [] { return std::numeric_limits<double>::quiet_NaN(); };
  Problem poisoned = with_neighbours(problem, row, nan);
  if (!outside(contract.limits, poisoned)) {
    plan.runs.push_back({std::move(poisoned), "NaN in other rows"});
  }
  return plan;
}

std::optional<std::string> when_neighbours(const Problem& p, const Contract&) {
  if (p.shape.rows() < 2) return "it has a single row";
  return no_weights(p);
}

Verdict judge_neighbours(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(neighbour_name);
  own_everywhere(ledger, exhibits);
  const Promises& promises = exhibits[0].contract->promises;
  const PlaceMap only = [&plan](const PlaceIndex& at) -> std::optional<PlaceIndex> {
    if (at.b == plan.map[0] && at.h == plan.map[1] && at.i == plan.map[2]) return at;
    return std::nullopt;
  };
  for (const Exhibit& changed : exhibits.subspan(1)) {
    relate(ledger, promises.batch && promises.row, exhibits[0], changed, only);
  }
  return ledger.verdict();
}

// --- one entry alone and many times over

constexpr std::int64_t copies_work = 400'000;

/// Every second entry of `copies` and the last are the entry; the others hold other k and v.
bool is_copy(std::int64_t b, std::int64_t copies) { return b % 2 == 1 || b + 1 == copies; }

Problem among_others(const Problem& problem, std::int64_t entry, std::int64_t copies) {
  Problem p = take_entries(problem, Indices(static_cast<std::size_t>(copies), entry));
  Choices choices = choices_of("others");
  for (Tensor* tensor : {&p.k, &p.v}) {
    const auto size = tensor->bits.size() / static_cast<std::size_t>(copies);
    for (std::size_t n = 0; n < tensor->bits.size(); ++n) {
      if (is_copy(static_cast<std::int64_t>(n / size), copies)) continue;
      tensor->bits[n] = encode(p.format, static_cast<double>(choices.between(-512, 511)) / 64);
    }
  }
  return p;
}

/// map: the entry that is taken alone.
Plan plan_batch(const Problem& problem, const Contract& contract) {
  const Shape& s = problem.shape;
  Choices choices = choices_of(batch_name);
  const std::int64_t entry = choices.between(0, s.B - 1);
  Plan plan{{{problem, ""}, {take_entries(problem, {entry}), "one entry alone"}}, {entry}};
  const std::int64_t sizes[] = {9, 10, 33, 2};
  const std::int64_t copies = sizes[(s.L + s.S) % 4];
  if (plan.runs[1].problem.shape.work() > copies_work / copies) return plan;
  Problem many = among_others(problem, entry, copies);
  if (!outside(contract.limits, many)) {
    plan.runs.push_back({std::move(many), "in a batch of " + std::to_string(copies)});
  }
  return plan;
}

std::optional<std::string> when_weights(const Problem& p, const Contract&) { return no_weights(p); }

Verdict judge_batch(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(batch_name);
  own_everywhere(ledger, exhibits);
  const bool bits = exhibits[0].contract->promises.batch;
  for (const Exhibit& other : exhibits.subspan(1)) {
    const std::int64_t entries = other.run->problem.shape.B;
    relate(ledger, bits, exhibits[0], other,
           [&](const PlaceIndex& at) -> std::optional<PlaceIndex> {
             if (!is_copy(at.b, entries)) return std::nullopt;
             return PlaceIndex{plan.map[0], at.h, at.i, at.c};
           });
  }
  return ledger.verdict();
}

// --- order of entries and heads

/// map: new entry b is old entry map[b].
Plan plan_entries(const Problem& problem, const Contract&) {
  Choices choices = choices_of(entries_name);
  const Indices order = permutation(choices, problem.shape.B);
  return {{{problem, ""}, {take_entries(problem, order), "entries permuted"}}, order};
}

std::optional<std::string> when_entries(const Problem& p, const Contract&) {
  if (p.shape.B < 2) return "it has no two entries";
  return no_weights(p);
}

Verdict judge_entries(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(entries_name);
  own_everywhere(ledger, exhibits);
  relate(ledger, exhibits[0].contract->promises.batch, exhibits[0], exhibits[1],
         [&plan](const PlaceIndex& at) {
           return PlaceIndex{plan.map[static_cast<std::size_t>(at.b)], at.h, at.i, at.c};
         });
  return ledger.verdict();
}

/// map: new query head h is old head map[h]: whole groups move, and heads inside a group.
Plan plan_heads(const Problem& problem, const Contract&) {
  const Shape& s = problem.shape;
  Choices choices = choices_of(heads_name);
  const std::int64_t group = s.H_q / s.H_kv;
  const Indices keys = permutation(choices, s.H_kv);
  const Indices inside = permutation(choices, group);
  Indices queries;
  for (const std::int64_t g : keys) {
    for (const std::int64_t r : inside) queries.push_back(g * group + r);
  }
  return {{{problem, ""}, {take_heads(problem, queries, keys), "heads permuted"}}, queries};
}

std::optional<std::string> when_heads(const Problem& p, const Contract&) {
  if (p.shape.H_q < 2) return "it has no two heads";
  return no_weights(p);
}

Verdict judge_heads(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(heads_name);
  own_everywhere(ledger, exhibits);
  relate(ledger, exhibits[0].contract->promises.batch, exhibits[0], exhibits[1],
         [&plan](const PlaceIndex& at) {
           return PlaceIndex{at.b, plan.map[static_cast<std::size_t>(at.h)], at.i, at.c};
         });
  return ledger.verdict();
}

// --- grouped heads

Plan plan_grouped(const Problem& problem, const Contract&) {
  const Shape& s = problem.shape;
  Indices keys;
  for (std::int64_t h = 0; h < s.H_q; ++h) keys.push_back(s.kv_head(h));
  return {{{problem, ""}, {take_heads(problem, indices(0, s.H_q), keys), "k and v repeated"}}, {}};
}

std::optional<std::string> when_grouped(const Problem& p, const Contract&) {
  if (p.shape.H_q == p.shape.H_kv) return "its heads are not grouped";
  return no_weights(p);
}

/// Every group of heads reads the first of its key heads.
void prepare_grouped(Problem& p, std::uint64_t seed) {
  const Shape s = p.shape;
  if (s.H_q != s.H_kv || s.H_q < 2) return;
  std::int64_t group = s.H_q;
  for (std::int64_t n = s.H_q / 2; n > 1 && seed % 2 == 0; --n) {
    if (s.H_q % n == 0) group = n;
  }
  Indices keys;
  for (std::int64_t g = 0; g < s.H_q; g += group) keys.push_back(g);
  p = take_heads(p, indices(0, s.H_q), keys);
}

}  // namespace

constinit const Property neighbour_independence{
    neighbour_name,
    "A row does not depend on other rows, heads and entries, not even on NaN there.",
    applies_when<when_neighbours, plan_neighbours>,
    plan_neighbours,
    judge_neighbours,
    every_impostor,
    nullptr,
    "maximum_of_row_before"};

constinit const Property batch_invariance{
    batch_name,
    "An entry alone, in its batch and many times in a larger one gives the same.",
    applies_when<when_weights, plan_batch>,
    plan_batch,
    judge_batch,
    every_impostor,
    nullptr,
    "ninth_entry_reads_first"};

constinit const Property batch_permutation{entries_name,
                                           "Reordering the entries of a batch reorders O and LSE.",
                                           applies_when<when_entries, plan_entries>,
                                           plan_entries,
                                           judge_entries,
                                           every_impostor,
                                           nullptr,
                                           "diagonal_of_first_entry"};

constinit const Property head_permutation{
    heads_name,
    "Reordering groups of heads, and heads inside a group, reorders O and LSE.",
    applies_when<when_heads, plan_heads>,
    plan_heads,
    judge_heads,
    every_impostor,
    nullptr,
    "slope_of_key_head"};

constinit const Property grouped_equals_repeated{
    grouped_name,
    "Grouped heads equal as many key heads whose k and v are repeated.",
    applies_when<when_grouped, plan_grouped>,
    plan_grouped,
    judge_equal_runs<grouped_name, &Promises::groups>,
    every_impostor,
    prepare_grouped,
    "group_as_power_of_two"};

}  // namespace qkvet
