// softcap-limits, dominant-key, low-and-high-scores: scores so far apart, so flat or so far from 0
// that the output is known. Here for cases (a), (b), (d) and (e) of relations.md rule 1: bits where
// exact-one is promised, places whose bound is as wide as V, and scores that are not drawn.
#include <algorithm>
#include <cmath>
#include <qkvet/check/free.hpp>
#include <qkvet/oracle/outward.hpp>

#include "properties/family.hpp"
#include "properties/images.hpp"
#include "properties/list.hpp"
#include "properties/rewrites.hpp"
#include "properties/shifts.hpp"

namespace qkvet {
namespace {

constexpr std::string_view cap_name = "softcap-limits";
constexpr std::string_view dominant_name = "dominant-key";
constexpr std::string_view range_name = "low-and-high-scores";

bool wide(Format format) { return format == Format::binary32 || format == Format::binary64; }

/// Scores are held with the digits and the range of f32 at least.
bool wide_scores(const Contract& contract) {
  const Arithmetic& a = contract.arithmetic;
  return wide(a.dot) && wide(a.score) && wide(a.score_store) && wide(a.scaled);
}

double largest_value(const Problem& p) {
  double most = 0;
  for (const std::uint64_t bits : p.v.bits) {
    most = std::fmax(most, std::fabs(decode(p.format, bits)));
  }
  return most;
}

void clear(Tensor& tensor) { std::fill(tensor.bits.begin(), tensor.bits.end(), 0); }

// --- very large and very small caps

constexpr double high_cap = 0x1p40, low_cap = 0x1p-40;

Problem with_cap(const Problem& problem, double cap) {
  Problem p = problem;
  p.softcap = cap;
  return p;
}

Plan plan_cap(const Problem& problem, const Contract&) {
  Problem flat = with_cap(problem, 0);
  clear(flat.q);
  flat.layouts.q = {};
  return {{{with_cap(problem, problem.softcap > 0 ? problem.softcap : 1), ""},
           {with_cap(problem, 0), "no softcap"},
           {with_cap(problem, high_cap), "a softcap of 2^40"},
           {std::move(flat), "q = 0, no softcap"},
           {with_cap(problem, low_cap), "a softcap of 2^-40"}},
          {}};
}

std::optional<std::string> when_cap(const Problem& p, const Contract& contract) {
  if (const auto why = no_weights(p)) return why;
  if (!has_finite_inputs(p)) return "an input is not finite";
  const bool inside = contract.semantics.cap_order == Semantics::CapOrder::bias_then_cap;
  if (inside && (p.mask.bias || p.alibi_slopes)) return "the bias goes through the softcap";
  if (!wide_scores(contract)) return "scores over the softcap leave the range of their format";
  if (!(rough_score_size(with_cap(p, 0)) <= 0x1p16)) return "its scores come near the high softcap";
  return std::nullopt;
}

/// The second run is the first with scores moved by at most eta <= 2^-8: weights change by factors
/// within e^(+-2 eta), so that O moves by at most 8 eta max |V| and the LSE by eta.
void meet_moved(Ledger& ledger, const Exhibit& from, const Exhibit& to, double eta) {
  const double slack = 8 * eta * largest_value(from.run->problem);
  for_places(to.run->problem.shape, true, [&](const PlaceIndex& at) {
    const Spot a{&from, at};
    const Spot b{&to, at};
    if (!a.present() || !b.present()) return;
    const auto x = seen(a);
    if (!x) return;
    const double room = at.c < 0 ? 2 * eta : slack;  // 2: an LSE in base 2
    const auto near = [room](const Interval& o) { return outward::add(o, {-room, room}); };
    meet_image(ledger, b, image(near, *x), "such a softcap moves no score by more than a trifle");
  });
}

Verdict judge_cap(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(cap_name);
  own_everywhere(ledger, exhibits);
  const double size = rough_score_size(exhibits[1].run->problem);
  // |x - c tanh(x / c)| <= |x|^3 / (3 c^2); |c tanh| <= c.
  meet_moved(ledger, exhibits[1], exhibits[2], size * size * size / (high_cap * high_cap));
  meet_moved(ledger, exhibits[3], exhibits[4], low_cap);
  return ledger.verdict();
}

// --- one key above all others

/// What bias, ALiBi and sinks can do against a dominant key, whatever q and k hold now.
double other_size(const Problem& problem) {
  Problem p = problem;
  clear(p.q);
  clear(p.k);
  return rough_score_size(p);
}

/// How far the dominant score must lie above what others make of theirs. e^-1024 times the largest
/// number is 0 beside the smallest of f32 and below; f64 needs e^-gap < 2^-(1024 + 1074 + 1) / S.
double least_gap(Format format) { return format == Format::binary64 ? 2048 : 1024; }

/// q and k whose scores are gap * (2 x y - y^2), with x of the row's key + 1 and y = j + 1: each
/// row has its own dominant key. Absent where the format cannot hold them.
std::optional<Problem> own_keys(const Problem& problem, int power) {
  const Shape& s = problem.shape;
  if (s.d_k < 2 || s.S > 256) return std::nullopt;
  const int q_power = power / 2, k_power = power - q_power;
  const double sign = scale_value(problem) < 0 ? -1 : 1;
  Problem p = problem;
  clear(p.q);
  clear(p.k);
  bool exact = true;
  const auto put = [&](Tensor& tensor, std::int64_t b, std::int64_t h, std::int64_t i,
                       std::int64_t c, double x) {
    exact = exact && is_exact(p.format, x) && std::fabs(x) <= info(p.format).max / 4;
    tensor.set(b, h, i, c, x);
  };
  for_rows(s, [&](auto b, auto h, auto i) {
    const auto x = static_cast<double>((3 * i + h + b) % s.S + 1);
    put(p.q, b, h, i, 0, std::ldexp(sign * 2 * x, q_power));
    put(p.q, b, h, i, s.d_k - 1, std::ldexp(-sign, q_power));
  });
  for (std::int64_t b = 0; b < s.B; ++b)
    for (std::int64_t g = 0; g < s.H_kv; ++g)
      for (std::int64_t j = 0; j < s.S; ++j) {
        const auto y = static_cast<double>(j + 1);
        put(p.k, b, g, j, 0, std::ldexp(y, k_power));
        put(p.k, b, g, j, s.d_k - 1, std::ldexp(y * y, k_power));
      }
  p.layouts.q = p.layouts.k = {};
  if (!exact) return std::nullopt;
  return p;
}

/// One key that dominates in every row, through one channel.
std::optional<Problem> one_for_all(const Problem& problem, int power, std::int64_t key) {
  const int q_power = power / 2, k_power = power - q_power;
  const double sign = scale_value(problem) < 0 ? -1 : 1;
  const double q = std::ldexp(sign, q_power), k = std::ldexp(1, k_power);
  const double most = info(problem.format).max / 4;
  if (!is_exact(problem.format, q) || !is_exact(problem.format, k)) return std::nullopt;
  if (std::fabs(q) > most || k > most) return std::nullopt;
  Problem p = problem;
  clear(p.q);
  p = channel(p, q, 0);
  for (std::int64_t b = 0; b < p.shape.B; ++b) {
    for (std::int64_t g = 0; g < p.shape.H_kv; ++g) p.k.set(b, g, key, p.shape.d_k - 1, k);
  }
  return p;
}

/// map: for each run after the first the dominant key, -1 if each row has its own.
Plan plan_dominant(const Problem& problem, const Contract& contract) {
  Plan plan{{{problem, ""}}, {}};
  // Whatever bias and sinks take from the dominant key and add to the others.
  const double gap = least_gap(problem.format) + 4 * other_size(problem);
  const int power = static_cast<int>(std::ceil(std::log2(gap / std::fabs(scale_value(problem)))));
  if (wide_scores(contract)) {
    if (auto p = own_keys(problem, power)) {
      plan.map.push_back(-1);
      plan.runs.push_back({std::move(*p), "each row has its own dominant key"});
      return plan;
    }
  }
  const std::int64_t last = problem.shape.S - 1;
  for (const std::int64_t key : {std::int64_t{0}, last / 2, last}) {
    const bool twice = std::find(plan.map.begin(), plan.map.end(), key) != plan.map.end();
    auto p = one_for_all(problem, power, key);
    if (!p || twice) continue;
    plan.map.push_back(key);
    plan.runs.push_back({std::move(*p), "key " + std::to_string(key) + " dominates"});
  }
  return plan;
}

std::optional<std::string> when_dominant(const Problem& p, const Contract& contract) {
  if (const auto why = no_weights(p)) return why;
  if (p.shape.d_k < 1) return "it has no channel";
  if (p.softcap > 0) return "a softcap bounds its scores";
  if (!has_finite_values(p.v)) return "a value is not finite";
  const double scale = std::fabs(scale_value(p));
  if (!(scale >= 0x1p-30 && scale <= 0x1p30)) return "the scale leaves no gap in range";
  if (!(other_size(p) <= 0x1p12)) return "bias or sinks are too large to dominate";
  if (plan_dominant(p, contract).map.empty()) return "its format cannot hold such a gap";
  return std::nullopt;
}

Verdict judge_dominant(const Plan& plan, std::span<const Exhibit> exhibits) {
  Ledger ledger(dominant_name);
  own_everywhere(ledger, exhibits);
  const Contract& contract = *exhibits[0].contract;
  const bool bits = contract.promises.exact_one && !contract.arithmetic.flushes;
  constexpr std::string_view why = "the row's dominant key has all its weight, and this value";
  for (std::size_t run = 1; run < exhibits.size(); ++run) {
    const Problem& p = exhibits[run].run->problem;
    const Shape& s = p.shape;
    for_rows(s, [&](auto b, auto h, auto i) {
      const std::int64_t own = (3 * i + h + b) % s.S;
      const std::int64_t key = plan.map[run - 1] < 0 ? own : plan.map[run - 1];
      if (!sees(p, contract, b, h, i, key)) return;
      for (std::int64_t d = 0; d < s.d_v; ++d) {
        const double v = p.v.value(b, s.kv_head(h), key, d);
        const Spot spot{&exhibits[run], {b, h, i, d}};
        expect_enclosure(spot, {outward::down(v), outward::up(v)}, why);
        if (bits) judge_free(ledger, spot, {v, v}, 0, why);
      }
    });
  }
  return ledger.verdict();
}

// --- scores far from 0

constexpr double shifts[][3] = {{88, -1e4, -2.45e5}, {-88, -6e4, 1e4}};

/// All scores moved, or those of the second half of the keys only.
std::optional<Problem> moved(const Problem& problem, const Contract& contract, double shift,
                             bool half) {
  const Format format = problem.mask.bias ? problem.mask.bias->format : problem.format;
  Problem p = problem;
  if (std::fabs(shift) <= info(format).max / 4) {
    expand_bias(p);
    for_rows(p.shape, [&](auto b, auto h, auto i) {
      for (std::int64_t j = half ? p.shape.S / 2 : 0; j < p.shape.S; ++j) {
        p.mask.bias->set(b, h, i, j, p.mask.bias->value(b, h, i, j) + shift);
      }
    });
    if (!outside(contract.limits, p)) return p;
  }
  if (!may_use_channel(problem)) return std::nullopt;
  const double q = channel_query(problem, shift);
  if (std::fabs(q) <= 0) return std::nullopt;
  return channel(problem, q, 1);
}

Plan plan_range(const Problem& problem, const Contract& contract) {
  Problem base = problem;
  Choices choices = choices_of(range_name);
  set_values(base, [&](auto, auto, auto, auto) {
    return 1 + static_cast<double>(choices.between(0, 8)) / 64;
  });
  Plan plan{{{base, ""}}, {}};
  const Shape& s = problem.shape;
  const bool half = (s.L + s.d_v) % 3 == 0;
  for (const double shift : shifts[(s.L + s.S) % 2]) {
    if (auto p = moved(base, contract, shift, half)) {
      plan.runs.push_back({std::move(*p), "scores moved by " + std::to_string(shift)});
    }
  }
  return plan;
}

std::optional<std::string> when_range(const Problem& p, const Contract& contract) {
  if (const auto why = no_weights(p)) return why;
  if (plan_range(p, contract).runs.size() < 2)
    return "neither a bias nor a channel can move its scores";
  return std::nullopt;
}

Verdict judge_range(const Plan&, std::span<const Exhibit> exhibits) {
  Ledger ledger(range_name);
  own_everywhere(ledger, exhibits);
  for (const Exhibit& exhibit : exhibits) judge_hull(ledger, exhibit);
  return ledger.verdict();
}

void prepare_cap(Problem& p, std::uint64_t) {
  if (!(p.softcap > 0)) p.softcap = 1;
}

}  // namespace

constinit const Property softcap_limits{
    cap_name,
    "A softcap far above all scores is none, one far below them makes them equal.",
    applies_when<when_cap, plan_cap>,
    plan_cap,
    judge_cap,
    every_impostor,
    prepare_cap,
    "softcap_at_most_1024"};

constinit const Property dominant_key{
    dominant_name,
    "A key whose score lies far above all others has all the weight.",
    applies_when<when_dominant, plan_dominant>,
    plan_dominant,
    judge_dominant,
    every_impostor,
    nullptr,
    "steep_rise_not_rescaled"};

constinit const Property low_and_high_scores{
    range_name,
    "Wherever all scores lie, the output lies among the values that its row sees.",
    applies_when<when_range, plan_range>,
    plan_range,
    judge_range,
    every_impostor,
    nullptr,
    "sentinel_minus_200000"};

}  // namespace qkvet
