// What a checked case costs, and where it goes: cases per second through the three doors, and the
// price of a multiply-add in each oracle. Prints ratios; a busy machine moves all of them together.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <memory>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/check/examine.hpp>
#include <qkvet/kernels/kernels.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/oracle/oracle.hpp>
#include <qkvet/problem/draw.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "properties/registry.hpp"

namespace {

using qkvet::Format;
using Clock = std::chrono::steady_clock;

constexpr double window_s = 2;  // of each measurement

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Problems of one size and format with every feature that `limits` leaves; L, S, d <= extent.
std::vector<qkvet::Problem> problems_up_to(std::int64_t extent, Format format,
                                           const qkvet::Domain& limits, int count) {
  qkvet::Domain small;
  small.formats = {format};
  small.B = small.H_q = small.H_kv = {1, 2};
  small.L = small.S = small.d_k = small.d_v = {1, extent};
  small.nonfinite = qkvet::Allow::never;
  const qkvet::Domain domain = qkvet::intersect(small, limits);
  std::vector<qkvet::Problem> problems;
  for (int n = 0; n < count; ++n) {
    auto choices = qkvet::Choices::from_seed(qkvet::mix(static_cast<std::uint64_t>(n)));
    problems.push_back(qkvet::draw(choices, domain).problem);
  }
  return problems;
}

double processor_seconds() {
  return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
}

struct Rate {
  double per_second;    // by the clock on the wall
  double processor_us;  // of this process a case: a worker's own time is not in it
};

// Checked cases of matches-reference: guard, oracles, bound and judge, one core.
Rate cases_per_second(qkvet::Candidate& candidate) {
  const qkvet::Property* property = qkvet::property_named("matches-reference");
  const qkvet::Contract contract = candidate.contracts().at(Format::binary32);
  const auto problems = problems_up_to(8, Format::binary32, contract.limits, 256);
  int checked = 0;
  const auto start = Clock::now();
  const double processor = processor_seconds();
  for (std::size_t n = 0; seconds_since(start) < window_s; n = (n + 1) % problems.size()) {
    const auto verdict = qkvet::examine(problems[n], *property, candidate, contract, {});
    if (std::holds_alternative<qkvet::Fail>(verdict)) {
      std::fprintf(stderr, "bench: %s fails a case; its figure means nothing\n",
                   candidate.name().c_str());
    }
    ++checked;
  }
  return {checked / seconds_since(start), (processor_seconds() - processor) * 1e6 / checked};
}

// Nanoseconds a multiply-add of `rung`, over whole rows.
double oracle_cost(std::span<const qkvet::Problem> problems, qkvet::Rung rung) {
  double work = 0;
  const double start = processor_seconds();
  for (std::size_t n = 0; processor_seconds() - start < window_s; n = (n + 1) % problems.size()) {
    const qkvet::Problem& problem = problems[n];
    for (std::int64_t row = 0; row < problem.shape.rows(); ++row) {
      const std::int64_t head = row / problem.shape.L;
      (void)qkvet::enclose_row(problem, {}, rung, head / problem.shape.H_q,
                               head % problem.shape.H_q, row % problem.shape.L);
    }
    work += static_cast<double>(problem.shape.work());
  }
  return work > 0 ? (processor_seconds() - start) * 1e9 / work : 0;
}

void print_rate(const char* door, const Rate& rate, const Rate& first) {
  std::printf("  %-32s %7.0f cases/s  %5.2f of in-process; %6.0f us of this process\n", door,
              rate.per_second, rate.per_second / first.per_second, rate.processor_us);
}

void bench_doors(const std::string& python, const std::string& examples) {
  std::printf("checked cases per second and core, L, S, d <= 8, f32, matches-reference\n");
  const auto inside = qkvet::in_process(*qkvet::builtin_kernel("flash"));
  const Rate first = cases_per_second(*inside);
  print_rate("in-process (builtin:flash, L0)", first, first);
  qkvet::WorkerOptions options;
  const auto native = qkvet::in_worker("builtin:flash", options);
  print_rate("worker, native (builtin:flash)", cases_per_second(*native), first);
  options.python = python;
  const auto script = qkvet::in_worker("py:" + examples + "/numpy_attention.py:attention", options);
  print_rate("worker, Python (numpy example)", cases_per_second(*script), first);
}

void bench_oracles(std::int64_t extent) {
  const auto problems = problems_up_to(extent, Format::binary32, {}, 64);
  const double plain = oracle_cost(problems, qkvet::Rung::first);
  std::printf("oracles, ns per multiply-add with the whole row trace, L, S, d <= %lld\n",
              static_cast<long long>(extent));
  const struct {
    const char* name;
    qkvet::Rung rung;
  } rungs[] = {{"plain double with its bound", qkvet::Rung::first},
               {"Arb", qkvet::Rung::arb},
               {"MPFR, the definition on balls", qkvet::Rung::definition}};
  for (const auto& [name, rung] : rungs) {
    const double cost = rung == qkvet::Rung::first ? plain : oracle_cost(problems, rung);
    std::printf("  %-34s %9.1f ns        %5.1f x plain double\n", name, cost, cost / plain);
  }
}

}  // namespace

// bench_qkvet [--python EXE] [--examples DIR]
int main(int argc, char** argv) {
  std::string python = "python3", examples = "examples";
  for (int n = 1; n + 1 < argc; n += 2) {
    const std::string_view option = argv[n];
    if (option == "--python") {
      python = argv[n + 1];
    } else if (option == "--examples") {
      examples = argv[n + 1];
    } else {
      std::fprintf(stderr, "usage: bench_qkvet [--python EXE] [--examples DIR]\n");
      return 2;
    }
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // each line as soon as it is measured
  try {
    bench_doors(python, examples);
    bench_oracles(8);
    bench_oracles(64);
  } catch (const qkvet::InputError& error) {  // no such interpreter, or one without numpy
    std::fprintf(stderr, "bench: %s\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
