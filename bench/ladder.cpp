// The price of a proof: the ladder beside attention in plain double, its own upper rungs, Arb and
// MPFR, in one run and in one unit. Ratios of processor time; scripts/bench ladder prints them.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <functional>
#include <qkvet/ladder/ladder.hpp>
#include <random>
#include <vector>

#include "ladder_double.hpp"
#include "tests/ladder/nearest.hpp"

namespace {

using qkvet::Format;

struct Row {
  const char* name;
  std::int64_t S, d;
  double spread;
};

qkvet::Problem problem_of(const Row& row, Format format) {
  qkvet::Problem p;
  p.format = format;
  p.shape = {1, 1, 1, row.S, row.S, row.d, row.d};
  p.q = qkvet::make_tensor(format, {1, 1, row.S, row.d});
  p.k = p.v = p.q;
  std::mt19937_64 words(1);
  std::normal_distribution<double> normal;
  for (qkvet::Tensor* t : {&p.q, &p.k, &p.v}) {
    for (std::uint64_t& bits : t->bits) bits = qkvet::encode(format, normal(words));
  }
  for (std::uint64_t& bits : p.q.bits) {
    bits = qkvet::encode(format, row.spread * qkvet::decode(format, bits));
  }
  return p;
}

bench::Dense dense_of(const qkvet::Problem& p) {
  bench::Dense d{p.shape.L, p.shape.S, p.shape.d_k, 1 / std::sqrt(static_cast<double>(p.shape.d_k)),
                 {}, {}, {}};
  for (const auto& [from, to] : {std::pair{&p.q, &d.q}, {&p.k, &d.k}, {&p.v, &d.v}}) {
    for (const std::uint64_t bits : from->bits) to->push_back(qkvet::decode(p.format, bits));
  }
  return d;
}

double seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

// Best of a few; nanoseconds per score (one query and one key).
double cost(double scores, double least_s, const std::function<void()>& work) {
  double best = 1e300, spent = 0;
  for (int n = 0; n < 3 || (spent < least_s && n < 50); ++n) {
    const double start = seconds();
    work();
    const double took = seconds() - start;
    best = std::min(best, took);
    spent += took;
    if (spent > 4 * least_s) break;
  }
  return best * 1e9 / scores;
}

struct Ladder {
  double ns;
  std::array<std::int64_t, qkvet::steps> by_step{};
};

Ladder ladder_cost(const qkvet::Problem& p, Format to, qkvet::Step from, std::int64_t rows) {
  Ladder result{};
  const double scores = static_cast<double>(rows) * static_cast<double>(p.shape.S);
  result.ns = cost(scores, 0.4, [&] {
    result.by_step = {};
    qkvet::LadderOptions options;
    options.format = to;
    options.from = from;
    const qkvet::Semantics semantics;
    qkvet::Ladder ladder(p, semantics, options);
    for (std::int64_t i = 0; i < rows; ++i) {
      for (const qkvet::Rounded& o : ladder.row(0, 0, i).o) {
        ++result.by_step[static_cast<std::size_t>(o.step)];
      }
    }
  });
  return result;
}

void measure(const Row& row) {
  const qkvet::Problem p = problem_of(row, Format::binary32);
  const qkvet::Problem low = problem_of(row, Format::bfloat16);
  const bench::Dense dense = dense_of(p);
  std::vector<double> o(dense.q.size());
  const double scores = static_cast<double>(row.S) * static_cast<double>(row.S);
  const double eigen = cost(scores, 0.4, [&] { bench::eigen_attention(dense, o); });
  const double simple = cost(scores, 0.4, [&] { bench::simple_attention(dense, o); });
  const Ladder f32 = ladder_cost(p, Format::binary32, qkvet::Step::first, row.S);
  const Ladder bf16 = ladder_cost(low, Format::bfloat16, qkvet::Step::first, row.S);
  const Ladder compensated = ladder_cost(p, Format::binary32, qkvet::Step::compensated,
                                         std::min<std::int64_t>(row.S, 64));
  const Ladder arb = ladder_cost(p, Format::binary32, qkvet::Step::arb, 2);
  const double mpfr = cost(static_cast<double>(row.S), 0.1, [&] {
    const qkvet::test::MpfrRow one(p, qkvet::Semantics{}, 0, 0, 0, 256);
  });
  std::printf("| %s | %.2f | %.2f | %.2f | %.2f | %.2f | %.2f | %.0f | %.0f | %.0f | %.0f |\n",
              row.name, eigen, simple / eigen, f32.ns / eigen, bf16.ns / eigen, f32.ns / simple,
              compensated.ns / f32.ns, arb.ns / f32.ns, mpfr / f32.ns, arb.ns / eigen,
              mpfr / eigen);
  std::printf("  f32 outputs: first %ld, sharp %ld, compensated %ld, exact %ld, Arb %ld; bf16: "
              "first %ld, sharp %ld, compensated %ld, Arb %ld\n",
              f32.by_step[0], f32.by_step[1], f32.by_step[2], f32.by_step[3], f32.by_step[4],
              bf16.by_step[0], bf16.by_step[1], bf16.by_step[2], bf16.by_step[4]);
  std::fflush(stdout);
}

}  // namespace

int main() {
  std::puts("| problem | Eigen, ns a score | simple/Eigen | ladder f32/Eigen | ladder bf16/Eigen | "
            "ladder f32/simple | compensated/ladder | Arb/ladder | MPFR-256/ladder | Arb/Eigen | "
            "MPFR-256/Eigen |");
  std::puts("|---|---|---|---|---|---|---|---|---|---|---|");
  for (const Row& row : {Row{"S512 d64", 512, 64, 1}, Row{"S2048 d128", 2048, 128, 1},
                         Row{"S2048 d128, scores x10", 2048, 128, 10}}) {
    measure(row);
  }
}
