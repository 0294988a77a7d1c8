#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <qkvet/report/writers.hpp>
#include <sstream>

#include "sample.hpp"

namespace qkvet {
namespace {

std::string approved(const std::string& name) {
  std::ifstream file(std::string(QKVET_APPROVED_FOLDER) + "/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  std::string result = text.str();
  constexpr std::string_view mark = "@VERSION@";
  const std::size_t at = result.find(mark);
  return at == result.npos ? result : result.replace(at, mark.size(), version());
}

TEST(TextReport, IsAsApproved) { EXPECT_EQ(write_text(sample_report()), approved("report.txt")); }

TEST(JsonReport, IsAsApproved) { EXPECT_EQ(write_json(sample_report()), approved("report.json")); }

TEST(JunitReport, IsAsApproved) { EXPECT_EQ(write_junit(sample_report()), approved("report.xml")); }

TEST(JunitReport, ListsCriteriaAndWhichOneDecides) {
  Report report;
  EXPECT_EQ(write_junit(report).find("<properties>"), std::string::npos);
  report.criteria.push_back({"allclose-1e-2", 7, 2, 1, 3, 4, 0.5, 1});
  EXPECT_NE(write_junit(report).find(
                "  <properties>\n"
                "   <property name=\"criterion.allclose-1e-2\" value=\"cases 10, pass 7, fail 2, "
                "absent 1, missed 3, alarms 4\"/>\n"
                "  </properties>\n"),
            std::string::npos)
      << write_junit(report);
  report.gate = "allclose-1e-2";
  EXPECT_NE(write_junit(report).find("<property name=\"criterion\" value=\"allclose-1e-2\"/>"),
            std::string::npos);
}

TEST(JsonReport, WritesInfinityAsTextAndReplacesBadUtf8) {
  const auto document = nlohmann::json::parse(write_json(sample_report()));
  EXPECT_EQ(document["properties"][1]["worst_ratio"], "inf");
  EXPECT_NE(document["findings"][0]["message"].get<std::string>().find("\xEF\xBF\xBD"),
            std::string::npos);
}

TEST(JsonReport, CarriesTheExactBits) {
  const auto document = nlohmann::json::parse(write_json(sample_report()));
  EXPECT_EQ(document["findings"][0]["got_bits"].get<std::uint64_t>(), 0x3f410000U);
  EXPECT_EQ(document["exit_code"], 74);
}

TEST(DescribeAllowed, NamesEveryClassThatIsAdmitted) {
  Place place;
  place.allowed = {1, 2};
  place.nan = place.plus_inf = place.minus_inf = place.zero = true;
  EXPECT_EQ(describe_allowed(place), "[1, 2] or 0 or NaN or +inf or -inf");
  place.anything = true;
  EXPECT_EQ(describe_allowed(place), "any value");
  Place nothing;
  nothing.allowed = {1, 0};
  EXPECT_EQ(describe_allowed(nothing), "nothing");
}

}  // namespace
}  // namespace qkvet
