// future-key-dead, out-of-window-dead, hidden-nonfinite: the nearest keys that a row does not see,
// and the worst that hidden ones can hold. Here for cases (a), (b) and (c) of relations.md rule 1:
// bits where selection is promised, places that are exempt without it, and one place of each border
// in all shapes.
#include <limits>

#include "properties/family.hpp"
#include "properties/list.hpp"
#include "properties/marks.hpp"
#include "properties/prepare.hpp"
#include "properties/rewrites.hpp"

namespace qkvet {
namespace {

constexpr std::string_view future_name = "future-key-dead";
constexpr std::string_view window_name = "out-of-window-dead";
constexpr std::string_view nonfinite_name = "hidden-nonfinite";

/// Marks key `keys(b)[...]` of entry b in every head; true if there is one.
bool mark(Marks& marks, const Shape& s, std::int64_t b, std::int64_t key) {
  if (key < 0 || key >= s.S) return false;
  for (std::int64_t g = 0; g < s.H_kv; ++g) marks[mark_at(s, b, g, key)] = 1;
  return true;
}

Marks unmarked(const Shape& s) { return Marks(static_cast<std::size_t>(s.B * s.H_kv * s.S), 0); }

/// Runs: the problem, and the marked keys changed; map: the marks.
Plan plan_with(const Problem& problem, const Marks& marks, std::string_view property) {
  Choices choices = choices_of(property);
  Plan plan{{{problem, ""}}, {marks.begin(), marks.end()}};
  plan.runs.push_back(
      {with_marked(problem, marks, [&](double x) { return garbage(problem.format, x, choices); }),
       "garbage beyond the border"});
  return plan;
}

/// Rows that see none of the marked keys are as they were.
void relate_unaffected(Ledger& ledger, const Exhibit& given, const Exhibit& changed,
                       const Marks& marks) {
  const Problem& p = given.run->problem;
  const std::vector<char> unaffected = unaffected_rows(p, *given.contract, marks);
  relate(ledger, given.contract->promises.selection, given, changed,
         [&](const PlaceIndex& at) -> std::optional<PlaceIndex> {
           if (unaffected[static_cast<std::size_t>(p.shape.row(at.b, at.h, at.i))] != 0) return at;
           return std::nullopt;
         });
}

template <const std::string_view& name>
Verdict judge_marks(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(name);
  own_everywhere(ledger, exhibits);
  const Marks marks(plan.map.begin(), plan.map.end());
  for (const Exhibit& changed : exhibits.subspan(1)) {
    relate_unaffected(ledger, exhibits[0], changed, marks);
  }
  return ledger.verdict();
}

// --- the key after the diagonal

/// The key after the diagonal of one row, the first from a row that varies with the shape on.
Marks future_marks(const Problem& p) {
  const Shape& s = p.shape;
  Marks marks = unmarked(s);
  if (!p.mask.causal) return marks;
  for (std::int64_t n = 0; n < s.L; ++n) {
    const std::int64_t row = ((s.S + s.d_v) % s.L + n) % s.L;
    bool any = false;
    for (std::int64_t b = 0; b < s.B; ++b) {
      any = mark(marks, s, b, row + diagonal_offset(p, b) + 1) || any;
    }
    if (any) return marks;
  }
  return marks;
}

bool none(const Marks& marks) {
  for (const char mark : marks) {
    if (mark != 0) return false;
  }
  return true;
}

Plan plan_future(const Problem& problem, const Contract&) {
  return plan_with(problem, future_marks(problem), future_name);
}

std::optional<std::string> when_future(const Problem& p, const Contract&) {
  if (const auto why = no_weights(p)) return why;
  if (!p.mask.causal) return "it is not causal";
  if (none(future_marks(p))) return "no key lies after a diagonal";
  return std::nullopt;
}

void prepare_future(Problem& p, std::uint64_t) { p.mask.causal = true; }

// --- the keys beside the window

Marks window_marks(const Problem& p) {
  const Shape& s = p.shape;
  Marks marks = unmarked(s);
  if (!p.mask.window) return marks;
  const Window& window = *p.mask.window;
  for (std::int64_t n = 0; n < s.L; ++n) {
    const std::int64_t row = ((s.S + s.d_v) % s.L + n) % s.L;
    bool any = false;
    for (std::int64_t b = 0; b < s.B; ++b) {
      const std::int64_t diagonal = row + diagonal_offset(p, b);
      if (window.left) any = mark(marks, s, b, diagonal - *window.left - 1) || any;
      if (window.right) any = mark(marks, s, b, diagonal + *window.right + 1) || any;
    }
    if (any) return marks;
  }
  return marks;
}

Plan plan_window(const Problem& problem, const Contract&) {
  return plan_with(problem, window_marks(problem), window_name);
}

std::optional<std::string> when_window(const Problem& p, const Contract&) {
  if (const auto why = no_weights(p)) return why;
  if (!p.mask.window) return "it has no window";
  if (none(window_marks(p))) return "no key lies beside a window";
  return std::nullopt;
}

void prepare_window(Problem& p, std::uint64_t seed) {
  if (p.mask.window && !none(window_marks(p))) return;
  Choices choices = Choices::from_seed(seed);
  const std::int64_t most = p.shape.S / 3;
  p.mask.window = Window{choices.between(0, most), choices.between(0, most)};
}

// --- NaN, infinity and the largest numbers

Plan plan_nonfinite(const Problem& problem, const Contract& contract) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const Marks marks = marked_keys(problem, contract);
  Plan plan{{{problem, ""}}, {marks.begin(), marks.end()}};
  Problem keys = with_marked(problem, marks, [](double) { return nan; });
  keys.v = problem.v;
  Problem values = with_marked(problem, marks, [](double) { return nan; });
  values.k = problem.k;
  const double most = info(problem.format).max;
  plan.runs.push_back({std::move(keys), "NaN in hidden k"});
  plan.runs.push_back({std::move(values), "NaN in hidden v"});
  plan.runs.push_back(
      {with_marked(problem, marks, [](double x) { return x < 0 ? -infinity : infinity; }),
       "infinities in hidden k and v"});
  plan.runs.push_back(
      {with_marked(problem, marks, [most](double x) { return x < 0 ? -most : most; }),
       "the largest numbers in hidden k and v"});
  return plan;
}

std::optional<std::string> when_nonfinite(const Problem& p, const Contract& contract) {
  if (!contract.promises.selection)
    return "the contract does not promise that hidden inputs stay unread";
  return hides_nothing(p, contract);
}

}  // namespace

constinit const Property future_key_dead{future_name,
                                         "The key after a row's diagonal does not change it.",
                                         applies_when<when_future, plan_future>,
                                         plan_future,
                                         judge_marks<future_name>,
                                         every_impostor,
                                         prepare_future,
                                         "causal_looks_into_next_tile"};

constinit const Property out_of_window_dead{
    window_name,
    "The keys on either side of a row's window do not change it.",
    applies_when<when_window, plan_window>,
    plan_window,
    judge_marks<window_name>,
    every_impostor,
    prepare_window,
    "window_starts_at_tile"};

constinit const Property hidden_nonfinite{nonfinite_name,
                                          "NaN, infinities and the largest numbers in hidden keys "
                                          "and values change nothing, where hidden "
                                          "inputs are promised to stay unread.",
                                          applies_when<when_nonfinite, plan_nonfinite>,
                                          plan_nonfinite,
                                          judge_marks<nonfinite_name>,
                                          every_impostor,
                                          hide_something,
                                          "hidden_nan_scores_count"};

}  // namespace qkvet
