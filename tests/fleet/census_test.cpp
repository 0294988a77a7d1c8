// The stated rate of SUSPECT, on the honest kernels of the fleet and seeds that did not calibrate
// it. docs/bounds.md 10.5
#include "census.hpp"

#include <gtest/gtest.h>

#include <map>
#include <qkvet/check/suspicion.hpp>

namespace {

using namespace qkvet;

struct Share {
  Format format;
  std::int64_t cases;
};

class Census : public testing::TestWithParam<Share> {};

TEST_P(Census, HonestKernelsAreSuspectAtNoMoreThanTheStatedRate) {
  const auto kernels = fleet::honest_kernels(GetParam().format);
  std::map<std::string, Candidate*> by_name;
  for (const auto& kernel : kernels) by_name[kernel->name()] = kernel.get();
  const Calibration* calibration = calibration_of(GetParam().format);
  ASSERT_NE(calibration, nullptr);
  EXPECT_NE(calibration->seed, 99U);
  std::int64_t pairs = 0, above = 0, suspect = 0;
  for (std::int64_t n = 0; n < GetParam().cases; ++n) {
    const fleet::Counted one = fleet::counted_case(GetParam().format, 99, n, kernels);
    const PlannedRun run{one.problem, ""};
    for (const fleet::Row& row : one.rows) {
      ++pairs;
      if (!excess_of(row.statistics, *calibration)) continue;
      ++above;
      Candidate& kernel = *by_name.at(row.kernel);
      const Contract contract = kernel.contracts().at(one.problem.format);
      Exhibit shown{&run, &contract, admit(one.problem, contract, Rung::first),
                    kernel.run(one.problem, output_formats(contract))};
      if (const auto found = suspicion(shown, kernel, {})) {
        ++suspect;
        ADD_FAILURE() << row.kernel << ", case " << n << ": " << found->finding.message;
      }
    }
  }
  EXPECT_GT(pairs, GetParam().cases * 20);
  EXPECT_LE(static_cast<double>(above), calibration->rate() * static_cast<double>(pairs));
  RecordProperty("pairs", std::to_string(pairs));
  RecordProperty("above", std::to_string(above));
  RecordProperty("suspect", std::to_string(suspect));
}

INSTANTIATE_TEST_SUITE_P(Formats, Census,
                         testing::Values(Share{Format::binary32, 120},
                                         Share{Format::bfloat16, 40},
                                         Share{Format::binary16, 40}),
                         [](const auto& share) {
                           return std::string(qkvet::info(share.param.format).name);
                         });

}  // namespace
