// Candidates in a worker: every member of the zoo gives the observation, or the message, that it
// must.
#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/kernels/kernels.hpp>
#include <qkvet/num/error.hpp>

#include "problems.hpp"

namespace qkvet {
namespace {

// Generous, since the machine may be busy: only those that hang get a short limit, and they always
// use it up.
WorkerOptions patient() {
  WorkerOptions options;
  options.call_timeout_s = 30;
  options.load_timeout_s = 30;
  return options;
}

std::string zoo(const std::string& name) { return std::string(QKVET_ZOO "/") + name + ".so"; }

// Rows of 4 floats: 3 * 16 bytes of K and V, so that alignment leaves slack at the right guard.
const Problem& problem() {
  static const Problem p = test_problem(2, 16, 4);
  return p;
}

struct Member {
  const char* name;
  RunStatus status;
  const char* message;              // a part of it
  std::vector<Fault::Kind> faults;  // in order
  const char* detail = "";          // a part of the first fault's
  std::size_t repeats = 0;
};

void PrintTo(const Member& member, std::ostream* os) { *os << member.name; }

class Zoo : public testing::TestWithParam<Member> {};

TEST_P(Zoo, GivesItsObservation) {
  const Member& member = GetParam();
  WorkerOptions options = patient();
  if (member.status == RunStatus::timed_out) options.call_timeout_s = 0.3;
  const auto candidate = in_worker(zoo(member.name), options);
  const Observation seen = candidate->run(problem());
  EXPECT_EQ(seen.status, member.status) << seen.message;
  EXPECT_NE(seen.message.find(member.message), std::string::npos) << seen.message;
  std::vector<Fault::Kind> kinds;
  for (const Fault& fault : seen.faults) kinds.push_back(fault.kind);
  EXPECT_EQ(kinds, member.faults);
  if (!seen.faults.empty()) {
    EXPECT_NE(seen.faults[0].detail.find(member.detail), std::string::npos)
        << seen.faults[0].detail;
  }
  EXPECT_EQ(seen.repeats.size(), member.repeats);
}

using K = Fault::Kind;
using R = RunStatus;

INSTANTIATE_TEST_SUITE_P(
    Members, Zoo,
    testing::Values(
        Member{"honest", R::ok, "", {}}, Member{"floods", R::ok, "", {}},
        Member{"write_before_o", R::crashed, "SIGSEGV: wrote 4 bytes before o", {K::out_of_bounds}},
        Member{"write_past_o", R::ok, "", {K::out_of_bounds}, "wrote 0 bytes past the end of o"},
        Member{"write_past_k",
               R::crashed,
               "SIGSEGV: wrote 0 bytes past the end of k",
               {K::out_of_bounds},
               "wrote 0 bytes past the end of k"},
        Member{
            "write_q", R::crashed, "SIGSEGV: wrote q, 0 bytes after its start", {K::input_changed}},
        Member{"read_past_v",
               R::crashed,
               "SIGSEGV: read 0 bytes past the end of v",
               {K::out_of_bounds}},
        Member{"read_before_k", R::crashed, "SIGSEGV: read 4 bytes before k", {K::out_of_bounds}},
        Member{"noop", R::ok, "", {K::unwritten}, "o[0,0,0,0] and 7 more", 1},
        Member{"skip_last_row", R::ok, "", {K::unwritten}, "o[0,0,1,0] and 3 more", 1},
        Member{
            "max_with_old", R::ok, "", {K::nondeterministic_poison}, "when that was a number", 1},
        Member{"times_zero", R::ok, "", {K::nondeterministic_poison}, "when that was NaN", 1},
        Member{"alternates", R::ok, "", {}, "", 1},
        Member{"exit_zero", R::crashed, "exited with code 0", {}},
        Member{"quick_exit", R::crashed, "exited with code 0", {}},
        Member{"aborts",
               R::crashed,
               "SIGABRT; it printed: assertion \\x1b[1mfailed\\x1b[0m: d_k == 64",
               {}},
        Member{"null_pointer",
               R::crashed,
               "SIGSEGV: read address 0x0, which belongs to no tensor",
               {}},
        Member{"raises_segv", R::crashed, "SIGSEGV", {}},
        Member{"overflows_stack", R::crashed, "SIGSEGV", {}},
        Member{"loops", R::timed_out, "no answer within 0.3 s; again in fresh workers", {}},
        Member{"throws",
               R::failed,
               "threw an exception across the C border: no plan for this shape",
               {}},
        Member{"refuses", R::refused, "only d_k = 12345", {}},
        Member{"fails", R::failed, "\\nxxx", {}},
        Member{"forges", R::failed, "wrong sequence number", {}},
        Member{"flushes", R::ok, "", {K::environment}, "flush to zero (FTZ)"},
        Member{"blocks_signals", R::ok, "", {K::environment}, "signal mask"}),
    [](const auto& member) { return member.param.name; });

struct Unusable {
  const char* name;
  std::string spec;
  ExitCode code;
  const char* message;
};

void PrintTo(const Unusable& unusable, std::ostream* os) { *os << unusable.name; }

class Unloadable : public testing::TestWithParam<Unusable> {};

TEST_P(Unloadable, SaysWhy) {
  WorkerOptions options = patient();
  if (std::string_view(GetParam().name) == "constructor_hang") options.load_timeout_s = 0.5;
  try {
    (void)in_worker(GetParam().spec, options);
    FAIL() << "loaded";
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), GetParam().code) << error.what();
    EXPECT_NE(std::string(error.what()).find(GetParam().message), std::string::npos)
        << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Members, Unloadable,
    testing::Values(
        Unusable{"no_file", "./nowhere/lib.so", ExitCode::missing_input, "there is no file"},
        Unusable{"folder", QKVET_ZOO, ExitCode::missing_input, "is not a file"},
        Unusable{"not_elf", QKVET_ZOO_SOURCE "/honest.c", ExitCode::candidate_unusable,
                 "hint: is it a shared library"},
        Unusable{"missing_symbol", zoo("missing_symbol"), ExitCode::candidate_unusable,
                 "undefined symbol: qkvet_candidate_v1; hint: export it"},
        Unusable{"named_symbol", zoo("honest") + ":other", ExitCode::candidate_unusable,
                 "undefined symbol: other"},
        Unusable{"unresolved", zoo("unresolved"), ExitCode::candidate_unusable, "zoo_nowhere"},
        Unusable{"wrong_abi", zoo("wrong_abi"), ExitCode::candidate_unusable, "says abi 99"},
        Unusable{"bad_contract", zoo("bad_contract"), ExitCode::candidate_unusable, "its contract"},
        Unusable{"constructor_crash", zoo("constructor_crash"), ExitCode::candidate_unusable,
                 "ended while it was loaded: SIGABRT"},
        Unusable{"constructor_hang", zoo("constructor_hang"), ExitCode::candidate_unusable,
                 "did not load within 0.5 s"},
        Unusable{"builtin", "builtin:none", ExitCode::candidate_unusable, "known: "},
        Unusable{"kind", "cmd:./runner", ExitCode::usage, "does not know the kind"}),
    [](const auto& member) { return member.param.name; });

TEST(Worker, GivesTheBitsOfTheSameKernelInProcess) {
  for (const std::string_view name : builtin_kernel_names()) {
    const auto here = in_process(*builtin_kernel(name));
    const auto there = in_worker("builtin:" + std::string(name), patient());
    EXPECT_STREQ(there->isolation(), "L1");
    for (std::int64_t n = 1; n < 20; ++n) {
      Problem p = test_problem(n, 2 * n, n % 5 + 1, 2);
      p.mask.causal = n % 2 == 0;
      p.want_lse = n % 3 == 0;
      const Observation a = here->run(p), b = there->run(p);
      ASSERT_EQ(b.status, RunStatus::ok) << b.message;
      EXPECT_EQ(a.outputs, b.outputs) << name << " " << n;
      EXPECT_TRUE(b.repeats.empty() && b.faults.empty()) << name << " " << n;
    }
  }
}

TEST(Worker, FillsFreshHeapMemoryWithLargeNumbers) {
  const Observation seen = in_worker(zoo("heap_reader"), patient())->run(problem());
  ASSERT_EQ(seen.status, RunStatus::ok);
  EXPECT_GT(std::fabs(seen.outputs.o.value(0, 0, 0, 0)), 0x1p100);  // a fresh page would be 0
}

TEST(Worker, GoesOnAfterACrash) {
  const auto candidate = in_worker(zoo("aborts"), patient());
  for (int n = 0; n < 3; ++n) EXPECT_EQ(candidate->run(problem()).status, RunStatus::crashed);
}

TEST(Worker, TellsACrashThatDependsOnHistory) {
  const auto candidate = in_worker(zoo("crashes_once_in_a_while"), patient());
  EXPECT_EQ(candidate->run(problem()).status, RunStatus::ok);
  const Observation seen = candidate->run(problem());
  EXPECT_EQ(seen.status, RunStatus::crashed);
  EXPECT_NE(seen.message.find("not again in 3 fresh workers"), std::string::npos) << seen.message;
}

TEST(Worker, GrowsItsMemoryForALargeCase) {
  const auto candidate = in_worker(zoo("honest"), patient());
  const Problem large = test_problem(1, 40'000, 60);  // 9.6 MB of K: more than half a cell
  const Observation seen = candidate->run(large);
  EXPECT_EQ(seen.status, RunStatus::ok) << seen.message;
  EXPECT_EQ(seen.outputs.o.bits.size(), 60u);
  EXPECT_EQ(candidate->run(problem()).status, RunStatus::ok);
}

TEST(Worker, PassesNamedEnvironmentOnly) {
  // Without a value in our environment nothing is passed; the loader's own variable proves the
  // passing.
  WorkerOptions options = patient();
  options.pass_environment = {"QKVET_SURELY_UNSET"};
  EXPECT_EQ(in_worker(zoo("honest"), options)->run(problem()).status, RunStatus::ok);
}

TEST(Worker, TakesEmptyExtents) {
  const auto candidate = in_worker("builtin:naive", patient());
  for (const auto& [L, S, d] : {std::array{0, 3, 2}, std::array{2, 0, 2}, std::array{2, 3, 0}}) {
    Problem p = test_problem(L, S, d);
    p.scale = 1;
    const Observation seen = candidate->run(p);
    EXPECT_EQ(seen.status, RunStatus::ok) << seen.message;
    EXPECT_TRUE(seen.faults.empty());
  }
}

}  // namespace
}  // namespace qkvet
