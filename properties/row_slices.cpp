// chunked-equals-whole, decode-equals-prefill, query-permutation: a row is answered alike in any
// company. Here for cases (a), (c) and (d) of relations.md rule 1: bits where rows are promised,
// one reading of the diagonal in all shapes, and shapes that are drawn apart only.
#include <algorithm>

#include "properties/family.hpp"
#include "properties/list.hpp"
#include "properties/rewrites.hpp"

namespace qkvet {
namespace {

constexpr std::string_view chunked_name = "chunked-equals-whole";
constexpr std::string_view decode_name = "decode-equals-prefill";
constexpr std::string_view query_name = "query-permutation";

std::optional<std::string> when_rows(const Problem& p, const Contract&) {
  if (p.shape.L < 2) return "it has no two rows";
  return no_weights(p);
}

// --- chunks

/// map: where the rows are cut: in the middle, or beside a border of usual tiles.
Plan plan_chunked(const Problem& problem, const Contract&) {
  const Shape& s = problem.shape;
  const std::int64_t cuts[] = {s.L / 2, 1, s.L - 1, 16, 17, 32, 63, 64, 65, 128};
  std::int64_t cut = cuts[(s.S + s.d_v + s.B) % 10];
  if (cut >= s.L) cut = s.L / 2;
  return {{{problem, ""},
           {slice_rows(problem, 0, cut), "the rows before the cut"},
           {slice_rows(problem, cut, s.L - cut), "the rows from the cut on"}},
          {cut}};
}

Verdict judge_chunked(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(chunked_name);
  own_everywhere(ledger, exhibits);
  const bool bits = exhibits[0].contract->promises.row;
  const std::int64_t cut = plan.map[0];
  relate(ledger, bits, exhibits[0], exhibits[1], [](const PlaceIndex& at) { return at; });
  relate(ledger, bits, exhibits[0], exhibits[2], [cut](const PlaceIndex& at) {
    return PlaceIndex{at.b, at.h, at.i + cut, at.c};
  });
  return ledger.verdict();
}

// --- decoding

/// Keys that some entry's row i may see under causal.
std::int64_t keys_up_to(const Problem& p, std::int64_t i) {
  std::int64_t most = 0;
  for (std::int64_t b = 0; b < p.shape.B; ++b) {
    most = std::max(most, i + diagonal_offset(p, b) + 1);
  }
  return std::min(most, p.shape.S);
}

/// map: the rows of the later runs: one of those that see fewest keys, one in the middle, the last.
Plan plan_decode(const Problem& problem, const Contract&) {
  Plan plan{{{problem, ""}}, {}};
  const std::int64_t last = problem.shape.L - 1;
  for (const std::int64_t row : {std::int64_t{0}, last / 2, last}) {
    const std::int64_t keys = keys_up_to(problem, row);
    const bool twice = std::find(plan.map.begin(), plan.map.end(), row) != plan.map.end();
    if (keys < 1 || twice) continue;
    plan.map.push_back(row);
    plan.runs.push_back({cut_keys(slice_rows(problem, row, 1), 0, keys),
                         "row " + std::to_string(row) + " over its own keys"});
  }
  return plan;
}

std::optional<std::string> when_decode(const Problem& p, const Contract& contract) {
  if (const auto why = no_weights(p)) return why;
  if (!p.mask.causal) return "it is not causal";
  if (plan_decode(p, contract).map.empty()) return "no row sees a key";
  return std::nullopt;
}

Verdict judge_decode(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(decode_name);
  own_everywhere(ledger, exhibits);
  const Promises& promises = exhibits[0].contract->promises;
  for (std::size_t run = 1; run < exhibits.size(); ++run) {
    const std::int64_t row = plan.map[run - 1];
    relate(ledger, promises.row && promises.padding, exhibits[0], exhibits[run],
           [row](const PlaceIndex& at) {
             return PlaceIndex{at.b, at.h, row, at.c};
           });
  }
  return ledger.verdict();
}

void prepare_decode(Problem& p, std::uint64_t) { p.mask.causal = true; }

// --- order of the queries

/// map: new row i is old row map[i].
Plan plan_query(const Problem& problem, const Contract&) {
  Choices choices = choices_of(query_name);
  const Problem base = diagonal_matters(problem) ? with_explicit_keys(problem) : problem;
  const Indices order = permutation(choices, problem.shape.L);
  return {{{base, ""}, {take_rows(base, order), "queries permuted"}}, order};
}

Verdict judge_query(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(query_name);
  own_everywhere(ledger, exhibits);
  relate(ledger, exhibits[0].contract->promises.row, exhibits[0], exhibits[1],
         [&plan](const PlaceIndex& at) {
           return PlaceIndex{at.b, at.h, plan.map[static_cast<std::size_t>(at.i)], at.c};
         });
  return ledger.verdict();
}

}  // namespace

constinit const Property chunked_equals_whole{
    chunked_name,
    "Two chunks of the rows give what all rows together give.",
    applies_when<when_rows, plan_chunked>,
    plan_chunked,
    judge_chunked,
    every_impostor,
    nullptr,
    "diagonal_of_row_tile"};

constinit const Property decode_equals_prefill{
    decode_name,
    "A row of a causal problem equals one query over the keys up to its diagonal.",
    applies_when<when_decode, plan_decode>,
    plan_decode,
    judge_decode,
    every_impostor,
    prepare_decode,
    "decode_drops_newest_key"};

constinit const Property query_permutation{
    query_name,
    "Reordering queries together with their mask rows reorders O and LSE.",
    applies_when<when_rows, plan_query>,
    plan_query,
    judge_query,
    every_impostor,
    nullptr,
    "odd_last_row_repeats"};

}  // namespace qkvet
