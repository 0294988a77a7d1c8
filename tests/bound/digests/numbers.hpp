// Digests of what the oracles enclose and what contracts admit, bit for bit, over a small set of
// drawn problems in every format and every contract that comes with qkvet.
#pragma once

#include <cmath>
#include <functional>
#include <qkvet/bound/admissible.hpp>
#include <qkvet/loops/kernels.hpp>
#include <qkvet/problem/draw.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace qkvet::test {

/// A running hash of numbers; every NaN counts as the same.
class Hash {
 public:
  void add(std::uint64_t word) { sum_ = mix(sum_ ^ word); }
  void add(double x) { add(encode(Format::binary64, x)); }
  void add(const Interval& x) {
    add(x.lo);
    add(x.hi);
  }
  [[nodiscard]] std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t sum_ = 0;
};

inline void add(Hash& hash, const Place& place) {
  hash.add(static_cast<std::uint64_t>(place.kind));
  hash.add(static_cast<std::uint64_t>(place.nan + 2 * place.plus_inf + 4 * place.minus_inf +
                                      8 * place.zero + 16 * place.anything));
  hash.add(place.exact);
  hash.add(place.radius);
  hash.add(place.allowed);
  for (const Alternative& other : place.also) {
    hash.add(other.exact);
    hash.add(other.radius);
    hash.add(other.allowed);
  }
}

inline void add(Hash& hash, const RowEnclosure& row) {
  hash.add(static_cast<std::uint64_t>(row.row_class));
  for (const Interval& x : {row.trace.scale, row.trace.m, row.trace.lse}) hash.add(x);
  hash.add(row.trace.Q1);
  for (const KeyTrace& key : row.trace.keys) {
    hash.add(key.A);
    hash.add(key.K1);
    for (const Interval& x : {key.x, key.bias, key.s, key.weight}) hash.add(x);
  }
  for (const Interval& o : row.o) hash.add(o);
}

/// Problem `number` of a format: every stratum and feature, small.
inline Problem digest_problem(Format format, std::uint64_t number) {
  Domain domain;
  domain.formats = {format};
  domain.work_budget = 1'500;
  Choices choices = Choices::from_seed(mix(number * 4 + static_cast<std::uint64_t>(format)));
  return draw(choices, domain).problem;
}

inline std::uint64_t enclosure_digest(const Problem& problem, Rung rung) {
  Hash hash;
  RowEncloser encloser(problem, {}, rung);
  const Shape& s = problem.shape;
  for (std::int64_t b = 0; b < s.B; ++b)
    for (std::int64_t h = 0; h < s.H_q; ++h)
      for (std::int64_t i = 0; i < s.L; ++i) add(hash, encloser.row(b, h, i));
  return hash.sum();
}

inline std::uint64_t bound_digest(const Problem& problem, const Contract& contract, Rung rung) {
  Hash hash;
  const Admissible admissible = admit(problem, contract, rung);
  for (const Place& place : admissible.o) add(hash, place);
  for (const Place& place : admissible.lse) add(hash, place);
  if (problem.shape.outputs() == 0) return hash.sum();
  const RowEnclosure row = enclose_row(problem, contract.semantics, rung, 0, 0, 0);
  for (const Term& term : explain_bound(problem, contract, row, 0)) hash.add(term.value);
  const double size = score_size(problem, 0, 0, 0);
  hash.add(size);
  hash.add(constant_radius(contract.arithmetic, problem.shape, problem.shape.S, 1.5, size));
  return hash.sum();
}

/// What the C library answers: the bounds rest on its exp and log, whose last bits may differ
/// between versions and processors.
inline std::uint64_t libm_digest() {
  Hash hash;
  for (int n = -1000; n <= 1000; ++n) {
    const double x = n * 0x1.6a09e667f3bcdp-3;
    for (const double y : {std::exp(x), std::expm1(x / 8), std::tanh(x / 16),
                           std::log(std::fabs(x) + 0x1p-20), std::log1p(std::fabs(x))}) {
      hash.add(y);
    }
  }
  return hash.sum();
}

/// What the loops of the rungs in double answer: the same on every path.
inline std::uint64_t loops_digest(const loops::Kernels& kernels) {
  constexpr std::int64_t n = 144, d = 48;
  Choices choices = Choices::from_seed(5);
  const auto some = [&](std::int64_t count) {
    std::vector<double> x(static_cast<std::size_t>(count));
    for (double& each : x) each = choices.gaussian();
    return x;
  };
  const std::vector<double> q = some(d), keys = some(n * d), values = some(n * d), w = some(n);
  std::vector<double> x = some(n), a(n), b(n), o(d), r(d);
  kernels.row_dots(q.data(), keys.data(), d, n, a.data(), b.data());
  kernels.row_values(w.data(), b.data(), values.data(), n, d, o.data(), r.data());
  for (double& each : x) each = -700 * std::fmin(1, each * each / 4);
  kernels.exp(x.data(), x.data(), n);
  Hash hash;
  for (const auto* list : {&a, &b, &o, &r, &x}) {
    for (const double each : *list) hash.add(each);
  }
  return hash.sum();
}

struct DigestLine {
  std::string name;
  std::uint64_t sum = 0;
};

/// The digests of `problems` problems a format.
inline std::vector<DigestLine> digest_lines(std::uint64_t problems) {
  std::vector<DigestLine> out;
  constexpr std::pair<Rung, std::string_view> rungs[] = {
      {Rung::first, "first"}, {Rung::arb, "arb"}, {Rung::definition, "definition"}};
  const auto over_problems = [&](std::string name, Format format,
                                 const std::function<std::uint64_t(const Problem&)>& digest) {
    Hash hash;
    for (std::uint64_t n = 0; n < problems; ++n) hash.add(digest(digest_problem(format, n)));
    out.push_back({std::move(name), hash.sum()});
  };
  out.push_back({"loops, plain", loops_digest(*loops::available_kernels().front())});
  out.push_back({"loops, fastest", loops_digest(*loops::available_kernels().back())});
  for (const Format format :
       {Format::binary64, Format::binary32, Format::bfloat16, Format::binary16}) {
    for (const auto& [rung, name] : rungs) {
      over_problems("enclosures " + std::string(info(format).name) + " " + std::string(name),
                    format, [&](const Problem& p) { return enclosure_digest(p, rung); });
    }
  }
  for (const Contract& contract : builtin_contracts()) {
    for (const auto& [rung, name] : std::span(rungs).first(2)) {
      over_problems("bounds " + contract.name + " " + std::string(name), contract.format,
                    [&](const Problem& p) { return bound_digest(p, contract, rung); });
    }
  }
  return out;
}

}  // namespace qkvet::test
