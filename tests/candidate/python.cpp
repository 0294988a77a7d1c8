// Python candidates in a worker, called through the preset sdpa: every member of the zoo gives the
// observation, or the message, that it must. Skipped where no interpreter with numpy is found.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <ostream>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/candidate/locate.hpp>
#include <qkvet/candidate/presets.hpp>
#include <qkvet/num/error.hpp>

#include "problems.hpp"

namespace qkvet {
namespace {

WorkerOptions options() {
  WorkerOptions o;
  if (std::filesystem::exists(QKVET_PYTHON)) o.python = QKVET_PYTHON;
  o.call_timeout_s = 30;
  o.load_timeout_s = 60;
  return o;
}

std::string member(const std::string& function) {
  return "py:" QKVET_ZOO_SOURCE "/python/members.py:" + function;
}

bool has_numpy() {
  static const bool found = [] {
    try {
      (void)in_worker(member("honest"), options());
      return true;
    } catch (const InputError& error) {
      return std::string(error.what()).find("no numpy") == std::string::npos;
    }
  }();
  return found;
}

#define SKIP_WITHOUT_NUMPY() \
  if (!has_numpy()) GTEST_SKIP() << "no Python with numpy: scripts/test makes build/venv"

Observation observe(const std::string& function, const Problem& problem) {
  return in_worker(member(function), options())->run(problem);
}

struct Member {
  const char* name;
  RunStatus status;
  const char* message;  // a part of it
};

void PrintTo(const Member& m, std::ostream* os) { *os << m.name; }

class PythonZoo : public testing::TestWithParam<Member> {};

TEST_P(PythonZoo, GivesItsObservation) {
  SKIP_WITHOUT_NUMPY();
  WorkerOptions o = options();
  if (GetParam().status == RunStatus::timed_out) o.call_timeout_s = 1;
  const Observation seen = in_worker(member(GetParam().name), o)->run(test_problem(3, 4, 5));
  EXPECT_EQ(seen.status, GetParam().status) << seen.message;
  EXPECT_NE(seen.message.find(GetParam().message), std::string::npos) << seen.message;
  EXPECT_TRUE(seen.faults.empty());
}

using R = RunStatus;

INSTANTIATE_TEST_SUITE_P(
    Members, PythonZoo,
    testing::Values(Member{"honest", R::ok, ""}, Member{"no_mask", R::ok, ""},
                    Member{"refuses", R::refused, "NotImplementedError: only d_k = 12345"},
                    Member{"refuses_in_words", R::refused, "No available kernel"},
                    Member{"raises", R::failed, "RuntimeError: \\x1b[31mout of tiles (at "},
                    Member{"exits", R::crashed, "exited with code 3"},
                    Member{"quick_exit", R::crashed, "exited with code 0"},
                    Member{"null_pointer", R::crashed, "in null_pointer"},
                    Member{"loops", R::timed_out, "no answer within 1 s"},
                    Member{"wrong_shape", R::failed,
                           "returned o with shape (1, 1, 3, 4), expected (1, 1, 3, 5)"},
                    Member{"wrong_dtype", R::failed, "returned o as float64, expected float32"},
                    Member{"as_list", R::failed,
                           "returned o as builtins.list, expected numpy.ndarray"},
                    Member{"as_subclass", R::failed, "expected numpy.ndarray"},
                    Member{"nothing", R::failed, "returned o as builtins.NoneType"},
                    Member{"triple", R::failed, "returned a tuple of 3"},
                    Member{"writes_query", R::failed, "tried to write an input"},
                    Member{"writes_through", R::crashed, "SIGSEGV"}),
    [](const auto& member_info) { return member_info.param.name; });

struct Unusable {
  const char* name;
  std::string spec;
  ExitCode code;
  const char* message;
};

void PrintTo(const Unusable& u, std::ostream* os) { *os << u.name; }

class PythonUnloadable : public testing::TestWithParam<Unusable> {};

TEST_P(PythonUnloadable, SaysWhy) {
  SKIP_WITHOUT_NUMPY();
  try {
    (void)in_worker(GetParam().spec, options());
    FAIL() << "loaded";
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), GetParam().code) << error.what();
    EXPECT_NE(std::string(error.what()).find(GetParam().message), std::string::npos)
        << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Members, PythonUnloadable,
    testing::Values(
        Unusable{"no_file", "py:./nowhere.py:fn", ExitCode::missing_input, "there is no file"},
        Unusable{"no_function", "py:" QKVET_ZOO_SOURCE "/python/members.py", ExitCode::usage,
                 "expected py:FILE.py:FUNCTION"},
        Unusable{"no_module", "py:surely.no.module:fn", ExitCode::candidate_unusable,
                 "import error: ModuleNotFoundError"},
        Unusable{"import_error", "py:" QKVET_ZOO_SOURCE "/python/import_error.py:fn",
                 ExitCode::candidate_unusable, "a_module_that_nobody_has"},
        Unusable{"exits_at_import", "py:" QKVET_ZOO_SOURCE "/python/exits_at_import.py:fn",
                 ExitCode::candidate_unusable, "ended while it was loaded: exited with code 4"},
        Unusable{"unknown_name", member("nothing_of_that_name"), ExitCode::candidate_unusable,
                 "it has: "},
        Unusable{"not_callable", member("not_callable"), ExitCode::candidate_unusable,
                 "is not callable: it is a int"},
        Unusable{"wrong_arity", member("one_parameter"), ExitCode::candidate_unusable,
                 "cannot be called with the 3 arguments query, key, value"}),
    [](const auto& unusable) { return unusable.param.name; });

TEST(PythonWorker, SaysThatTheInterpreterIsMissing) {
  WorkerOptions o = options();
  o.python = "/surely/no/python";
  try {
    (void)in_worker(member("honest"), o);
    FAIL() << "started";
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::candidate_unusable);
  }
}

TEST(PythonWorker, KnowsItsPresets) {
  WorkerOptions o = options();
  o.preset = "nobodys";
  try {
    (void)in_worker(member("honest"), o);
    FAIL() << "started";
  } catch (const InputError& error) {
    EXPECT_EQ(error.code(), ExitCode::usage);
    for (const std::string& known : preset_names(share_directory())) {
      EXPECT_NE(std::string(error.what()).find(known), std::string::npos) << error.what();
    }
  }
}

TEST(PythonWorker, ComputesTheMeanOfV) {
  SKIP_WITHOUT_NUMPY();
  const Problem problem = test_problem(3, 4, 5, 2, Format::binary64);
  const Observation seen = observe("honest", problem);
  ASSERT_EQ(seen.status, RunStatus::ok) << seen.message;
  double mean = 0;  // exact: multiples of 1/8
  for (std::int64_t j = 0; j < 4; ++j) mean += problem.v.value(0, 1, j, 2) / 4;
  EXPECT_EQ(seen.outputs.o.bits[seen.outputs.o.index(0, 1, 2, 2)], encode(Format::binary64, mean));
  EXPECT_TRUE(seen.repeats.empty());
}

TEST(PythonWorker, TakesTheLse) {
  SKIP_WITHOUT_NUMPY();
  Problem problem = test_problem(3, 4, 5);
  problem.want_lse = true;
  const Observation with = observe("with_lse", problem);
  ASSERT_EQ(with.status, RunStatus::ok) << with.message;
  EXPECT_EQ(with.outputs.lse, std::vector<std::uint64_t>(3, encode(Format::binary32, 0.25)));
  const Observation without = observe("honest", problem);
  EXPECT_EQ(without.status, RunStatus::failed);
  EXPECT_EQ(without.message, "returned no lse");
}

TEST(PythonWorker, KeepsARepeatThatDiffers) {
  SKIP_WITHOUT_NUMPY();
  EXPECT_EQ(observe("alternates", test_problem(2, 2, 2)).repeats.size(), 1u);
}

TEST(PythonWorker, RefusesWhatTheFunctionHasNoParameterFor) {
  SKIP_WITHOUT_NUMPY();
  Problem problem = test_problem(2, 2, 2);
  problem.mask.causal = true;
  const Observation seen = observe("no_mask", problem);
  EXPECT_EQ(seen.status, RunStatus::refused);
  EXPECT_EQ(seen.message, "the function has no parameter 'is_causal'");
}

TEST(PythonWorker, GivesTheFunctionsOwnContractPrecedence) {
  SKIP_WITHOUT_NUMPY();
  const auto own = in_worker(member("with_contract"), options());
  ASSERT_EQ(own->contracts().contracts.size(), 1u);
  EXPECT_EQ(own->contracts().contracts[0].name, "my-own");
  const auto preset = in_worker(member("honest"), options());
  ASSERT_EQ(preset->contracts().contracts.size(), 4u);
  EXPECT_EQ(preset->contracts().at(Format::bfloat16).name, "sdpa-bf16");
  EXPECT_EQ(preset->contracts().contracts[0].name, "sdpa-f32");
  EXPECT_EQ(preset->contracts().contracts[0].limits.window, Allow::never);
}

TEST(PythonPreset, PassesOnlyWhatTheCaseNeeds) {
  SKIP_WITHOUT_NUMPY();
  const Observation seen = observe("seen", test_problem(2, 2, 2));
  EXPECT_EQ(seen.message,
            "ValueError: causal=False gqa=False scale=None mask=none strides=(16, 16, 8, 4) "
            "writable=False");
}

TEST(PythonPreset, FoldsCausalIntoAMask) {
  SKIP_WITHOUT_NUMPY();
  Problem problem = test_problem(2, 2, 2);
  problem.mask.causal = true;
  problem.scale = 0.5;
  EXPECT_NE(observe("seen", problem).message.find("causal=True gqa=False scale=0.5 mask=none"),
            std::string::npos);
  problem.mask.attend = BoolMask{{1, 1, 2, 2}, {1, 1, 0, 1}};
  EXPECT_NE(
      observe("seen", problem)
          .message.find(
              "causal=False gqa=False scale=0.5 mask=bool [[[[True, False], [False, True]]]]"),
      std::string::npos);
  problem.mask.bias = make_tensor(Format::binary32, {1, 1, 1, 2});
  problem.mask.bias->set(0, 0, 0, 0, 1.5);
  EXPECT_NE(observe("seen", problem).message.find("mask=float32 [[[[1.5, -inf], [-inf, 0.0]]]]"),
            std::string::npos);
}

TEST(PythonPreset, HandsOverStridesAndGroupedHeads) {
  SKIP_WITHOUT_NUMPY();
  Problem problem = test_problem(2, 2, 2, 2);
  problem.shape.H_kv = 1;
  problem.k = test_tensor(Format::binary32, {1, 1, 2, 2}, 1);
  problem.v = test_tensor(Format::binary32, {1, 1, 2, 2}, 2);
  problem.layouts.q.strides = {{90, 40, 7, 3}};
  const std::string message = observe("seen", problem).message;
  EXPECT_NE(message.find("gqa=True"), std::string::npos) << message;
  EXPECT_NE(message.find("strides=(360, 160, 28, 12)"), std::string::npos) << message;
}

TEST(PythonPreset, RefusesAnotherDiagonal) {
  SKIP_WITHOUT_NUMPY();
  Problem problem = test_problem(2, 4, 2);
  problem.mask.causal = true;
  problem.mask.diagonal.kind = Diagonal::Kind::bottom_right;
  const Observation seen = observe("seen", problem);
  EXPECT_EQ(seen.status, RunStatus::refused);
  EXPECT_EQ(seen.message, "the signature has only a diagonal at the top left");
}

}  // namespace
}  // namespace qkvet
