// Strides beyond 2^31 elements over small tensors: only what lies near an element is touched, and a
// call gives what it gives when all is contiguous, in this process and in a worker.
#include <gtest/gtest.h>

#include <qkvet/candidate/arena.hpp>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/kernels/kernels.hpp>

#include "problems.hpp"

namespace qkvet {
namespace {

constexpr std::int64_t beyond = (std::int64_t{1} << 31) + 5;

/// Two heads and three keys; heads or keys lie far apart, in every tensor.
Problem far_apart() {
  Problem p = test_problem(2, 3, 4, 2);
  p.layouts.q.strides = {{beyond, beyond, 4, 1}};
  p.layouts.k.strides = {{1, 4, beyond / 2 + 1, 1}};
  p.layouts.v.strides = {{1, beyond, 4, 1}};
  p.layouts.o.strides = {{1, 4, beyond, 1}};
  return p;
}

void expect_same_outputs(Candidate& candidate) {
  const Observation near_by = candidate.run(test_problem(2, 3, 4, 2));
  const Observation far = candidate.run(far_apart());
  ASSERT_EQ(near_by.status, RunStatus::ok) << near_by.message;
  ASSERT_EQ(far.status, RunStatus::ok) << far.message;
  EXPECT_TRUE(far.faults.empty()) << far.faults.front().detail;
  EXPECT_EQ(far.outputs.o.bits, near_by.outputs.o.bits);
}

TEST(FarApart, GivesTheSameInThisProcess) {
  expect_same_outputs(*in_process(*builtin_kernel("naive")));
}

TEST(FarApart, GivesTheSameInAWorker) {
  WorkerOptions options;
  options.call_timeout_s = options.load_timeout_s = 30;
  const auto candidate = in_worker("builtin:naive", options);
  expect_same_outputs(*candidate);
}

int writes_beside(void*, const qkvet_args* a, qkvet_error*) {
  float* o = static_cast<float*>(a->o->data);
  for (std::int64_t h = 0; h < a->o->shape[1]; ++h)
    for (std::int64_t i = 0; i < a->o->shape[2]; ++i)
      for (std::int64_t d = 0; d < a->o->shape[3]; ++d) {
        o[h * a->o->strides[1] + i * a->o->strides[2] + d * a->o->strides[3]] = 1;
      }
  o[a->o->strides[2] - 3] = 1;  // shortly before the second row
  return QKVET_OK;
}

TEST(FarApart, AWriteBesideAnElementShows) {
  const qkvet_candidate table{
      sizeof(qkvet_candidate), QKVET_ABI, "test", "0", nullptr, nullptr, writes_beside, nullptr};
  const Observation seen = in_process(table)->run(far_apart());
  ASSERT_FALSE(seen.faults.empty());
  EXPECT_EQ(seen.faults[0].kind, Fault::Kind::out_of_bounds);
  EXPECT_NE(seen.faults[0].detail.find("in a stride gap"), std::string::npos)
      << seen.faults[0].detail;
}

TEST(FarApart, OnlyVastSpansAreSparse) {
  const Pieces far = pieces_of(far_apart(), {});
  const Pieces near_by = pieces_of(test_problem(2, 3, 4, 2), {});
  for (const Slot slot : {Slot::q, Slot::k, Slot::v, Slot::o}) {
    EXPECT_TRUE(far[static_cast<std::size_t>(slot)].sparse) << slot_name(slot);
    EXPECT_FALSE(near_by[static_cast<std::size_t>(slot)].sparse);
  }
}

}  // namespace
}  // namespace qkvet
