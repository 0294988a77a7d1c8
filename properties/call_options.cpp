// num-splits, threads: what a call asks for besides the problem does not change the answer. Here for
// cases (a) and (d) of relations.md rule 1: bits where splits and threads are promised, and numbers
// of parts and threads beside each other that are not drawn so.
#include <algorithm>

#include "properties/family.hpp"
#include "properties/list.hpp"

namespace qkvet {
namespace {

constexpr std::string_view splits_name = "num-splits";
constexpr std::string_view threads_name = "threads";

std::optional<std::string> when_weights(const Problem& p, const Contract&) { return no_small_weights(p); }

Problem with_splits(const Problem& problem, std::int64_t count) {
  Problem p = problem;
  p.call.splits = static_cast<std::int32_t>(std::min<std::int64_t>(count, 1 << 20));
  return p;
}

/// One part, a few, and more than there are tiles of 16 or 64 keys, or keys.
Plan plan_splits(const Problem& problem, const Contract&) {
  const Shape& s = problem.shape;
  const std::int64_t few[] = {2, 3, 5};
  const std::int64_t many[] = {s.S / 16 + 2, s.S / 64 + 2, s.S + 2};
  const std::int64_t a = few[(s.L + s.d_v) % 3];
  std::int64_t b = many[(s.L + s.S + s.d_k) % 3];
  if (b == a) b = s.S + 2 == a ? s.S + 3 : s.S + 2;
  Plan plan{{{with_splits(problem, 1), ""}}, {}};
  for (const std::int64_t count : {a, b}) {
    plan.runs.push_back({with_splits(problem, count), std::to_string(count) + " splits"});
  }
  return plan;
}

Problem with_threads(const Problem& problem, std::int32_t count) {
  Problem p = problem;
  p.call.threads = count;
  return p;
}

/// One thread, two, and a number that shares out nothing evenly.
Plan plan_threads(const Problem& problem, const Contract&) {
  const std::int32_t many = (problem.shape.L + problem.shape.S) % 2 == 0 ? 3 : 7;
  return {{{with_threads(problem, 1), ""},
           {with_threads(problem, 2), "2 threads"},
           {with_threads(problem, many), std::to_string(many) + " threads"}},
          {}};
}

}  // namespace

constinit const Property num_splits{splits_name,
                                    "The number of parts that a call asks for changes nothing.",
                                    applies_when<when_weights, plan_splits>,
                                    plan_splits,
                                    judge_equal_runs<splits_name, &Promises::splits>,
                                    every_impostor,
                                    nullptr,
                                    "splits_change_bits"};

constinit const Property threads{threads_name,
                                 "The number of threads that a call asks for changes nothing.",
                                 applies_when<when_weights, plan_threads>,
                                 plan_threads,
                                 judge_equal_runs<threads_name, &Promises::threads>,
                                 every_impostor,
                                 nullptr,
                                 "threads_change_bits"};

}  // namespace qkvet
