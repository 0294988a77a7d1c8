// Few values: what the steps of simplify_values left depends on where they came from, so the
// simplest assignments are tried in order. What is left then is the same from every start.
#include <algorithm>
#include <bit>
#include <cmath>
#include <qkvet/problem/simpler_parts.hpp>

namespace qkvet::detail {
namespace {

using Access = Tensor& (*)(Problem&);

constexpr Access inputs[] = {[](Problem& p) -> Tensor& { return p.q; },
                             [](Problem& p) -> Tensor& { return p.k; },
                             [](Problem& p) -> Tensor& { return p.v; }};

std::vector<std::uint64_t*> scalars(Problem& p) {
  std::vector<std::uint64_t*> places;
  for (const Access access : inputs) {
    for (std::uint64_t& bits : access(p).bits) places.push_back(&bits);
  }
  return places;
}

/// A scalar of any tensor, with the format that it is in.
struct Scalar {
  Format format;
  std::uint64_t* bits;
};

/// Those of q, k and v, of the bias, the sinks and the slopes.
std::vector<Scalar> all_scalars(Problem& p) {
  std::vector<Scalar> places;
  for (std::optional<Tensor>* part : {&p.mask.bias, &p.sinks, &p.alibi_slopes}) {
    if (!*part) continue;
    for (std::uint64_t& bits : (*part)->bits) places.push_back({(*part)->format, &bits});
  }
  for (std::uint64_t* bits : scalars(p)) places.push_back({p.format, bits});
  return places;
}

/// Counts, no tolerances: how far the search goes.
constexpr std::size_t most_scalars = 12;
constexpr std::int64_t most_offers = 400;

/// Assignments of 0, 1 and -1 with costs 0, 1 and 2, in the total order: by the sum, then by the
/// bits, so that later places get the values.
class Assignments {
 public:
  explicit Assignments(Pass& pass) : pass_(pass), problem_(pass.current()) {
    places_ = scalars(problem_);
    for (const double value : {0.0, 1.0, -1.0}) codes_.push_back(encode(problem_.format, value));
  }

  void search() {
    if (places_.size() > most_scalars) return;
    std::uint64_t now = 0;
    for (const std::uint64_t* bits : places_) now += cost(problem_.format, *bits);
    for (std::uint64_t sum = 0; sum <= now && !ended_; ++sum) place(0, sum);
  }

 private:
  void place(std::size_t at, std::uint64_t left) {
    if (ended_ || left > 2 * (places_.size() - at)) return;
    if (at == places_.size()) {
      ended_ = pass_.offer(problem_) || ++offers_ > most_offers ||
               compare_complexity(problem_, pass_.current()) >= 0;
      return;
    }
    for (std::uint64_t digit = 0; digit <= std::min<std::uint64_t>(left, 2); ++digit) {
      *places_[at] = codes_[digit];
      place(at + 1, left - digit);
    }
  }

  Pass& pass_;
  Problem problem_;
  std::vector<std::uint64_t*> places_;
  std::vector<std::uint64_t> codes_;
  std::int64_t offers_ = 0;
  bool ended_ = false;
};

/// The numbers that one scalar may become, the simplest first.
std::vector<double> simple_numbers() {
  std::vector<double> numbers{0};
  for (double size = 1; size <= 16; ++size) {
    numbers.push_back(size);
    numbers.push_back(-size);
  }
  for (int exponent = 1; exponent <= 24; ++exponent) {
    for (const int e : {exponent, -exponent}) {
      numbers.push_back(std::ldexp(1.0, e));
      numbers.push_back(-std::ldexp(1.0, e));
    }
  }
  // What a lower format does not hold.
  for (int bit = 1; bit <= 24; ++bit) {
    numbers.push_back(1 + std::ldexp(1.0, -bit));
    numbers.push_back(-1 - std::ldexp(1.0, -bit));
  }
  return numbers;
}

bool is_plain(Format format, std::uint64_t bits) { return cost(format, bits) <= 2; }

/// Each scalar that is neither 0 nor +-1, alone: the simplest number that will do.
void lower_scalars(Pass& pass) {
  constexpr std::size_t few = 8;
  static const std::vector<double> numbers = simple_numbers();
  std::vector<std::size_t> odd;
  Problem problem = pass.current();
  const std::vector<Scalar> places = all_scalars(problem);
  for (std::size_t n = 0; n < places.size(); ++n) {
    if (!is_plain(places[n].format, *places[n].bits)) odd.push_back(n);
  }
  if (odd.size() > few) return;
  for (const std::size_t n : odd) {
    const auto becomes = [&](double number) {
      Problem p = pass.current();
      const Scalar scalar = all_scalars(p)[n];
      const std::uint64_t next = encode(scalar.format, number);
      if (cost(scalar.format, next) >= cost(scalar.format, *scalar.bits)) return false;
      *scalar.bits = next;
      return pass.offer(p);
    };
    if (std::any_of(numbers.begin(), numbers.end(), becomes)) continue;
    const Scalar scalar = all_scalars(problem)[n];
    const double now = decode(scalar.format, *scalar.bits);
    if (!std::isfinite(now)) continue;
    for (int width = 2; width <= 52; ++width) {
      const double unit = std::ldexp(std::copysign(1.0, now), std::ilogb(now) - (width - 1));
      if (becomes(shorter(now, width)) || becomes(shorter(now, width) + unit)) break;
    }
  }
}

/// A value may stand as far back as it can: of two places the later one is simpler.
void move_back(Pass& pass) {
  constexpr std::size_t few = 4;
  for (const Access access : inputs) {
    Problem problem = pass.current();
    const std::vector<std::uint64_t>& bits = access(problem).bits;
    std::vector<std::size_t> set;
    for (std::size_t n = 0; n < bits.size() && set.size() <= few; ++n) {
      if (bits[n] != 0) set.push_back(n);
    }
    if (set.size() > few) continue;
    for (auto at = set.rbegin(); at != set.rend(); ++at) {
      std::size_t from = *at;
      for (std::size_t to = bits.size() - 1; to > from; to = from + (to - from) / 2) {
        Problem p = pass.current();
        auto& moved = access(p).bits;
        if (moved[to] != 0) continue;
        std::swap(moved[from], moved[to]);
        if (pass.offer(p)) break;
      }
    }
  }
}

/// The scores stay the same: of the two it is simpler to have the numbers in k.
void swap_queries_and_keys(Pass& pass) {
  Problem p = pass.current();
  if (p.q.bits.size() != p.k.bits.size()) return;
  std::swap(p.q.bits, p.k.bits);
  pass.offer(p);
}

}  // namespace

void search_values(Pass& pass) {
  lower_scalars(pass);
  move_back(pass);
  swap_queries_and_keys(pass);
  Assignments(pass).search();
}

}  // namespace qkvet::detail
