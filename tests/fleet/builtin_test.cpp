// The built-in kernels raise no false alarm on the ci distribution, and most of what is drawn is
// decided.
#include <gtest/gtest.h>

#include <properties/registry.hpp>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/kernels/flash.hpp>
#include <qkvet/kernels/kernels.hpp>
#include <qkvet/report/writers.hpp>
#include <string>

namespace {

using namespace qkvet;

Report check(const std::string& name, Format format, std::int64_t cases, bool reference) {
  const auto kernel = in_process(*builtin_kernel(name));
  CampaignOptions options;
  options.profile = *profile_named("ci");
  options.cases = cases;
  options.seed = 2026;
  options.domain.formats = {format};
  for (const Property& property : all_properties()) {
    if ((property.name == "matches-reference") == reference)
      options.properties.push_back(&property);
  }
  return run_campaign(*kernel, options);
}

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

struct Subject {
  std::string kernel;
  Format format;
  std::int64_t reference, other;  ///< cases of matches-reference, of each other property
};

class Builtin : public testing::TestWithParam<Subject> {};

TEST_P(Builtin, MatchesTheReference) {
  const Report report =
      check(GetParam().kernel, GetParam().format, GetParam().reference, true);
  EXPECT_TRUE(report.findings.empty()) << write_text(report);
  const Tally tally = total_tally(report);
  // Issue 3: refused, uncheckable and exempt elements together at most a tenth, per stratum 60 %.
  EXPECT_LE(share(tally.exempt + tally.uncheckable, tally.total()), 0.10) << write_text(report);
  for (const StratumResult& stratum : report.strata) {
    if (stratum.cases < 40) continue;  // one large case decides the share of a few
    EXPECT_LE(share(stratum.tally.exempt + stratum.tally.uncheckable, stratum.tally.total()), 0.60)
        << stratum.name;
    EXPECT_LE(
        share(stratum.refused + stratum.vacuous, stratum.cases + stratum.refused + stratum.vacuous),
        0.60)
        << stratum.name;
  }
}

TEST_P(Builtin, HoldsUnderEveryOtherProperty) {
  const Report report = check(GetParam().kernel, GetParam().format, GetParam().other, false);
  EXPECT_TRUE(report.findings.empty()) << write_text(report);
}

/// self is the name of a path.
int forward_on_path(void* self, const qkvet_args* args, qkvet_error* why) {
  return qkvet_flash(args, static_cast<const char*>(self), why);
}

TEST(FlashPaths, EachMatchesTheReference) {
  for (const std::string_view path : kernels::flash_paths()) {
    qkvet_candidate table = *builtin_kernel("flash");
    table.forward = forward_on_path;
    std::string name(path);
    table.self = name.data();
    const auto kernel = in_process(table);
    CampaignOptions options;
    options.profile = *profile_named("ci");
    options.cases = 90;
    options.seed = 77;
    options.domain.formats = {Format::binary32, Format::binary64, Format::bfloat16, Format::binary16};
    for (const Property& property : all_properties()) {
      if (property.name == "matches-reference") options.properties.push_back(&property);
    }
    const Report report = run_campaign(*kernel, options);
    EXPECT_TRUE(report.findings.empty()) << path << write_text(report);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Builtin,
                         testing::Values(Subject{"naive", Format::binary32, 2000, 12},
                                         Subject{"flash", Format::binary32, 2000, 12},
                                         Subject{"naive", Format::bfloat16, 500, 4},
                                         Subject{"naive", Format::binary16, 500, 4},
                                         Subject{"flash", Format::binary64, 250, 2},
                                         Subject{"flash", Format::bfloat16, 500, 4},
                                         Subject{"flash", Format::binary16, 500, 4}),
                         [](const auto& subject) {
                           return subject.param.kernel + "_" +
                                  std::string(qkvet::info(subject.param.format).name);
                         });

}  // namespace
