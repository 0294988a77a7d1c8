#include <algorithm>
#include <chrono>
#include <numeric>
#include <qkvet/campaign/neighbours.hpp>
#include <qkvet/campaign/rule.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/axes.hpp>
#include <set>

namespace qkvet {
namespace {

using Clock = std::chrono::steady_clock;

struct Named {
  Axis axis;
  std::string_view name;
};
constexpr Named axes[] = {
    {Axis::key, "S"},          {Axis::row, "L"},        {Axis::row_and_key, "L = S"},
    {Axis::d_k, "d_k"},        {Axis::d_v, "d_v"},      {Axis::d_both, "d_k = d_v"},
    {Axis::group, "H_q/H_kv"}, {Axis::kv_head, "H_kv"}, {Axis::batch, "B"}};

/// Features that a case can lack.
struct Feature {
  std::string_view name;
  void (*drop)(Problem&);
};
constexpr Feature features[] = {
    {"causal", [](Problem& p) { p.mask.causal = false; }},
    {"window", [](Problem& p) { p.mask.window.reset(); }},
    {"key range", [](Problem& p) { p.mask.key_range.reset(); }},
    {"bool mask", [](Problem& p) { p.mask.attend.reset(), p.layouts.attend = {}; }},
    {"bias", [](Problem& p) { p.mask.bias.reset(), p.layouts.bias = {}; }},
    {"explicit scale", [](Problem& p) { p.scale.reset(); }},
    {"softcap", [](Problem& p) { p.softcap = 0; }},
    {"sinks", [](Problem& p) { p.sinks.reset(); }},
    {"ALiBi", [](Problem& p) { p.alibi_slopes.reset(); }},
    {"LSE", [](Problem& p) { p.want_lse = false, p.layouts.lse = {}; }},
    {"threads", [](Problem& p) { p.call.threads = 0; }},
    {"splits", [](Problem& p) { p.call.splits = 0; }},
    {"strides of q", [](Problem& p) { p.layouts.q = {}; }},
    {"strides of k", [](Problem& p) { p.layouts.k = {}; }},
    {"strides of v", [](Problem& p) { p.layouts.v = {}; }},
    {"strides of o", [](Problem& p) { p.layouts.o = {}; }},
};

/// Near extents, and those of other places in tiles of up to 128.
std::vector<std::int64_t> extents_near(std::int64_t now) {
  std::set<std::int64_t> near{now + 24, now + 192, now + 256, 2 * now, 3 * now};
  for (const std::int64_t step : {1, 2, 3, 4, 8, 16, 32, 64, 128})
    near.insert({now + step, now - step});
  for (const std::int64_t tile : {now + 64, now + 128}) near.insert({tile - 1, tile + 1});
  near.erase(near.begin(), near.lower_bound(1));
  near.erase(now);
  return {near.begin(), near.end()};
}

/// Values of new keys: 0, or 1 beside a 0.
void stand_out(Problem& p, std::int64_t added, bool at_front) {
  const std::uint64_t one = encode(p.format, 1);
  for (std::size_t at = 0; at < p.v.bits.size(); ++at) {
    const std::int64_t key = static_cast<std::int64_t>(at) / p.shape.d_v % p.shape.S;
    const bool is_new = at_front ? key < added : key >= p.shape.S - added;
    if (is_new) p.v.bits[at] = p.v.bits[at] == 0 ? one : 0;
  }
}

/// The case with another extent: cut, or its first (last) entry repeated. A key that is lost among
/// equal values is not missed, so those of new keys stand out.
Problem with_extent(const Problem& p, Axis axis, std::int64_t wanted, bool at_front) {
  const std::int64_t now = extent(p, axis), added = wanted - now;
  std::vector<std::int64_t> kept(static_cast<std::size_t>(wanted));
  std::iota(kept.begin(), kept.end(), at_front ? -added : 0);
  for (std::int64_t& index : kept) index = std::clamp<std::int64_t>(index, 0, now - 1);
  Problem other = cut(p, axis, kept);
  if (added > 0 && (axis == Axis::key || axis == Axis::row_and_key))
    stand_out(other, added, at_front);
  return other;
}

class Neighbourhood {
 public:
  Neighbourhood(const Problem& minimal, const Property& property, Candidate& candidate,
                const Contract& contract, const Domain& domain, const NeighbourBudget& budget,
                const std::function<bool()>& stopped)
      : minimal_(minimal),
        property_(property),
        candidate_(candidate),
        contract_(contract),
        domain_(domain),
        budget_(budget),
        stopped_(stopped),
        until_(Clock::now() + std::chrono::duration<double>(budget.seconds)) {}

  std::string rule() {
    std::string words;
    for (const Named& one : axes) {
      const auto rule = along(one);
      if (rule) words += (words.empty() ? "" : "; ") + *rule;
    }
    std::string without;
    for (const Feature& feature : features) {
      Problem p = minimal_;
      feature.drop(p);
      if (!uses_diagonal(p)) p.mask.diagonal = {};
      if (p == minimal_ || fails(p) != false) continue;
      without += (without.empty() ? "passes without " : ", without ") + std::string(feature.name);
    }
    if (!words.empty() && !without.empty()) words += "; ";
    return words + without;
  }

 private:
  [[nodiscard]] std::optional<std::string> along(const Named& one) {
    const std::int64_t now = extent(minimal_, one.axis);
    const bool both = one.axis == Axis::row_and_key || one.axis == Axis::d_both;
    if (now < (both ? 2 : 1)) return std::nullopt;
    std::vector<Sample> samples{{now, true}};
    for (const std::int64_t wanted : extents_near(now)) {
      std::optional<bool> seen;
      for (const bool at_front : {true, false}) {
        const auto fails_here = fails(with_extent(minimal_, one.axis, wanted, at_front));
        if (!fails_here) continue;
        seen = seen.value_or(false) || *fails_here;
        if (*seen) break;
      }
      if (seen) samples.push_back({wanted, *seen});
      if (ended_) break;
    }
    return rule_of(one.name, std::move(samples));
  }

  /// Absent if it says nothing: not allowed, not decided, or there was no time.
  [[nodiscard]] std::optional<bool> fails(const Problem& p) {
    if (ended_ || p.shape.work() > budget_.work || outside(domain_, p)) return std::nullopt;
    try {
      validate(p);
    } catch (const InputError&) {
      return std::nullopt;
    }
    if (property_.applies(p, contract_)) return std::nullopt;
    ended_ = ++calls_ > budget_.calls || Clock::now() > until_ || (stopped_ && stopped_());
    if (ended_) return std::nullopt;
    const Verdict verdict =
        examine(p, property_, candidate_, contract_, ExamineOptions{CrossCheck::never});
    if (const auto* fail = std::get_if<Fail>(&verdict)) {
      ended_ = fail->finding.label == "timeout";
      return true;
    }
    if (std::holds_alternative<Pass>(verdict)) return false;
    return std::nullopt;
  }

  const Problem& minimal_;
  const Property& property_;
  Candidate& candidate_;
  const Contract& contract_;
  const Domain& domain_;
  const NeighbourBudget& budget_;
  const std::function<bool()>& stopped_;
  std::chrono::time_point<Clock, std::chrono::duration<double>> until_;
  std::int64_t calls_ = 0;
  bool ended_ = false;
};

}  // namespace

std::string rule_near(const Problem& minimal, const Property& property, Candidate& candidate,
                      const Contract& contract, const Domain& domain, const NeighbourBudget& budget,
                      const std::function<bool()>& stopped) {
  return Neighbourhood(minimal, property, candidate, contract, domain, budget, stopped).rule();
}

}  // namespace qkvet
