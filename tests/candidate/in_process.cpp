// In-process candidates: what a run shows, on kernels written here.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/kernels/kernels.hpp>
#include <qkvet/num/error.hpp>
#include <stdexcept>

#include "problems.hpp"

namespace qkvet {
namespace {

using Forward = int (*)(void*, const qkvet_args*, qkvet_error*);

float* data(const qkvet_tensor* t) { return static_cast<float*>(t->data); }
std::int64_t size(const qkvet_tensor* t) {
  std::int64_t n = 1;
  for (int axis = 0; axis < t->ndim; ++axis) n *= t->shape[axis];
  return n;
}

// Writes 0.5 everywhere; contiguous tensors only.
int half(void*, const qkvet_args* a, qkvet_error*) {
  for (std::int64_t i = 0; i < size(a->o); ++i) data(a->o)[i] = 0.5f;
  return QKVET_OK;
}

Observation observe(Forward forward, const Problem& problem = test_problem(3, 4, 5)) {
  const qkvet_candidate table{
      sizeof(qkvet_candidate), QKVET_ABI, "test", "0", nullptr, nullptr, forward, nullptr};
  return in_process(table)->run(problem);
}

TEST(InProcess, ReturnsWhatWasWritten) {
  const Observation seen = observe(half);
  EXPECT_EQ(seen.status, RunStatus::ok);
  EXPECT_TRUE(seen.faults.empty());
  EXPECT_TRUE(seen.repeats.empty());
  ASSERT_EQ(seen.outputs.o.bits.size(), 15u);
  for (const auto bits : seen.outputs.o.bits) EXPECT_EQ(bits, encode(Format::binary32, 0.5));
}

TEST(InProcess, HandsOverAllArguments) {
  Problem problem = test_problem(3, 4, 5);
  problem.shape.B = 2;
  for (Tensor* t : {&problem.q, &problem.k, &problem.v}) {
    t->extents[0] = 2;
    t->bits.resize(static_cast<std::size_t>(t->size()), 0);
  }
  problem.mask.causal = true;
  problem.mask.diagonal.kind = Diagonal::Kind::bottom_right;
  problem.mask.window = Window{2, std::nullopt};
  problem.mask.key_range = KeyRange{{0, 1}, {4, 3}};
  problem.mask.attend = BoolMask{{1, 1, 1, 4}, {1, 0, 1, 1}};
  problem.mask.bias = test_tensor(Format::binary32, {1, 1, 3, 4}, 9);
  problem.softcap = 2;
  problem.want_lse = true;
  problem.sinks = test_tensor(Format::binary32, {1, 1, 1, 1}, 3);
  const Observation seen = observe(
      [](void*, const qkvet_args* a, qkvet_error* why) {
        const qkvet_mask* m = a->mask;
        const bool right = m != nullptr && m->causal == 1 &&
                           m->diagonal_kind == QKVET_DIAGONAL_BOTTOM_RIGHT &&
                           m->diagonal_offset[0] == 1 && m->diagonal_offset[1] == 0 &&
                           m->window_left == 2 && m->window_right == -1 && m->key_start[1] == 1 &&
                           m->key_end[1] == 3 && m->attend->dtype.code == QKVET_BOOL &&
                           m->bias->shape[3] == 4 && a->lse->ndim == 3 && a->sinks->ndim == 1 &&
                           a->alibi_slopes == nullptr && (a->flags & QKVET_DEFAULT_SCALE) != 0 &&
                           std::fabs(a->scale * a->scale * 5 - 1) < 1e-15 && a->softcap > 1.5;
        std::strcpy(why->message, right ? "right" : "wrong");
        return static_cast<int>(QKVET_UNSUPPORTED);
      },
      problem);
  EXPECT_EQ(seen.status, RunStatus::refused);
  EXPECT_EQ(seen.message, "right");
}

TEST(InProcess, HasNoMaskWhereThereIsNone) {
  const Observation seen = observe([](void*, const qkvet_args* a, qkvet_error*) {
    return a->mask == nullptr && a->lse == nullptr ? int{QKVET_UNSUPPORTED} : int{QKVET_FAILED};
  });
  EXPECT_EQ(seen.status, RunStatus::refused);
}

TEST(InProcess, ReportsUnwrittenPlaces) {
  const Observation seen = observe([](void*, const qkvet_args* a, qkvet_error*) {
    for (std::int64_t i = 0; i < 10; ++i) data(a->o)[i] = 0;  // the last row is left
    return int{QKVET_OK};
  });
  ASSERT_EQ(seen.faults.size(), 1u);
  EXPECT_EQ(seen.faults[0].kind, Fault::Kind::unwritten);
  EXPECT_EQ(seen.faults[0].detail, "o[0,0,2,0] and 4 more");
}

TEST(InProcess, ReportsDependenceOnOldOutput) {
  const Observation seen = observe([](void*, const qkvet_args* a, qkvet_error*) {
    for (std::int64_t i = 0; i < size(a->o); ++i) data(a->o)[i] = std::fmax(data(a->o)[i], 0.5f);
    return int{QKVET_OK};
  });
  ASSERT_EQ(seen.faults.size(), 1u);
  EXPECT_EQ(seen.faults[0].kind, Fault::Kind::nondeterministic_poison);
  EXPECT_EQ(seen.repeats.size(), 1u);
}

TEST(InProcess, KeepsARepeatThatDiffers) {
  const Observation seen = observe([](void*, const qkvet_args* a, qkvet_error*) {
    static float next = 0;
    half(nullptr, a, nullptr);
    data(a->o)[3] = next += 1;
    return int{QKVET_OK};
  });
  EXPECT_TRUE(seen.faults.empty());
  ASSERT_EQ(seen.repeats.size(), 1u);
  EXPECT_NE(seen.repeats[0], seen.outputs);
}

TEST(InProcess, ReportsWritesOutsideAndToInputs) {
  const Observation seen = observe([](void*, const qkvet_args* a, qkvet_error*) {
    half(nullptr, a, nullptr);
    data(a->o)[-1] = 1;
    data(a->k)[0] = 7;
    return int{QKVET_OK};
  });
  ASSERT_EQ(seen.faults.size(), 2u);
  EXPECT_EQ(seen.faults[0].kind, Fault::Kind::input_changed);
  EXPECT_EQ(seen.faults[0].tensor, "k");
  EXPECT_EQ(seen.faults[1].kind, Fault::Kind::out_of_bounds);
  EXPECT_EQ(seen.faults[1].detail, "wrote 4 bytes before o (4 bytes changed)");
}

TEST(InProcess, CatchesExceptions) {
  const Observation seen = observe(
      [](void*, const qkvet_args*, qkvet_error*) -> int { throw std::runtime_error("a\x01 b"); });
  EXPECT_EQ(seen.status, RunStatus::failed);
  EXPECT_EQ(seen.message, "threw an exception across the C border: a\\x01 b");
}

TEST(InProcess, RejectsAnotherAbi) {
  const qkvet_candidate table{
      sizeof(qkvet_candidate), 99, "test", "0", nullptr, nullptr, half, nullptr};
  EXPECT_THROW((void)in_process(table), InputError);
}

TEST(InProcess, HandsOverLowFormatsWithTheirCodes) {
  struct Row {
    Format format;
    int code;
  };
  for (const Row row : {Row{Format::binary16, QKVET_FLOAT}, Row{Format::bfloat16, QKVET_BFLOAT}}) {
    Problem problem = test_problem(2, 3, 5, 1, row.format);
    problem.want_lse = true;
    problem.mask.bias = test_tensor(Format::binary32, {1, 1, 1, 3}, 4);
    problem.sinks = test_tensor(row.format, {1, 1, 1, 1}, 3);
    const Observation seen = observe(
        [](void*, const qkvet_args* a, qkvet_error* why) {
          const auto said = [&](const qkvet_tensor* t) {
            return std::to_string(int{t->dtype.code}) + ":" + std::to_string(int{t->dtype.bits});
          };
          const std::string text = said(a->q) + " " + said(a->k) + " " + said(a->v) + " " +
                                   said(a->o) + " " + said(a->lse) + " " + said(a->mask->bias) +
                                   " " + said(a->sinks);
          std::strcpy(why->message, text.c_str());
          return static_cast<int>(QKVET_UNSUPPORTED);
        },
        problem);
    const std::string low = std::to_string(row.code) + ":16";
    const std::string due = low + " " + low + " " + low + " " + low + " 2:32 2:32 " + low;
    EXPECT_EQ(seen.message, due);
  }
}

TEST(InProcess, TheContractNamesTheFormatsOfTheOutputs) {
  const qkvet_candidate table{sizeof(qkvet_candidate),
                              QKVET_ABI,
                              "test",
                              "0",
                              "contract = wide-out\nbase = f32-any/1\n[arithmetic]\nout = f64\n",
                              nullptr,
                              [](void*, const qkvet_args* a, qkvet_error*) {
                                auto* o = static_cast<double*>(a->o->data);
                                for (std::int64_t i = 0; i < size(a->o); ++i) o[i] = 0.25;
                                return a->o->dtype.bits == 64 ? int{QKVET_OK} : int{QKVET_FAILED};
                              },
                              nullptr};
  const Observation seen = in_process(table)->run(test_problem(3, 4, 5));
  ASSERT_EQ(seen.status, RunStatus::ok);
  EXPECT_TRUE(seen.faults.empty());
  EXPECT_EQ(seen.outputs.o.format, Format::binary64);
  EXPECT_EQ(seen.outputs.o.bits[14], encode(Format::binary64, 0.25));
}

#if defined(__x86_64__)
TEST(InProcess, ReportsAndUndoesFlushToZero) {
  const unsigned before = __builtin_ia32_stmxcsr();
  const Observation seen = observe([](void*, const qkvet_args* a, qkvet_error*) {
    half(nullptr, a, nullptr);
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040u);
    return int{QKVET_OK};
  });
  EXPECT_EQ(__builtin_ia32_stmxcsr() & ~0x3fu, before & ~0x3fu);
  ASSERT_EQ(seen.faults.size(), 1u);
  EXPECT_EQ(seen.faults[0].kind, Fault::Kind::environment);
}
#endif

TEST(InProcess, RunsTheBuiltInKernels) {
  const Problem problem = test_problem(3, 4, 5);
  for (const std::string_view name : builtin_kernel_names()) {
    const Observation seen = in_process(*builtin_kernel(name))->run(problem);
    EXPECT_EQ(seen.status, RunStatus::ok) << name << seen.message;
    EXPECT_TRUE(seen.faults.empty()) << name;
    EXPECT_EQ(seen.outputs.o.bits.size(), 15u) << name;
  }
}

}  // namespace
}  // namespace qkvet
