// The report for CI servers: JUnit XML, one test case per property.
#include <fmt/format.h>

#include <qkvet/report/writers.hpp>

namespace qkvet {
namespace {

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      case '\'':
        result += "&apos;";
        break;
      case '\n':
        result += "&#10;";
        break;
      case '\t':
        result += "&#9;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

std::string failures(const Report& report, const PropertyResult& result) {
  std::string text;
  for (const FindingRecord& record : report.findings) {
    if (record.finding.property != result.name) continue;
    text += fmt::format("   <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                        escaped(record.finding.label), escaped(record.finding.message),
                        escaped(write_finding(record, "FAIL")));
  }
  if (text.empty()) text = "   <failure type=\"FAIL\" message=\"failed\"/>\n";
  return text;
}

std::string test_case(const Report& report, const PropertyResult& result) {
  std::string body;
  if (result.fail > 0) {
    body = failures(report, result);
  } else if (result.accepted() == 0) {
    body = fmt::format("   <skipped message=\"{}\"/>\n",
                       escaped(result.not_run() ? "not run" : result.last_refusal));
  }
  return fmt::format(
      "  <testcase classname=\"{}\" name=\"{}\">\n{}   <system-out>cases {}, pass {}, fail {}, "
      "suspect {}, undecided {}, refused {}, vacuous {}, worst error/bound {:.4g}</system-out>\n"
      "  </testcase>\n",
      escaped("qkvet." + report.candidate), escaped(result.name), body, result.accepted(),
      result.pass, result.fail, result.suspect, result.undecided, result.refused, result.vacuous,
      result.worst);
}

/// What the acceptance rules of others say of the same outputs, and which of them decides.
std::string criteria(const Report& report) {
  if (report.criteria.empty()) return "";
  std::string text = "  <properties>\n";
  const auto add = [&](const std::string& name, const std::string& value) {
    text += fmt::format("   <property name=\"{}\" value=\"{}\"/>\n", escaped(name), escaped(value));
  };
  if (!report.gate.empty()) add("criterion", report.gate);
  for (const CriterionCount& count : report.criteria) {
    add("criterion." + count.name,
        fmt::format("cases {}, pass {}, fail {}, absent {}, missed {}, alarms {}", count.cases(),
                    count.pass, count.fail, count.absent, count.missed, count.alarms));
  }
  return text + "  </properties>\n";
}

}  // namespace

std::string write_junit(const Report& report) {
  std::string cases;
  int failed = 0, skipped = 0;
  for (const PropertyResult& result : report.properties) {
    failed += result.fail > 0 ? 1 : 0;
    skipped += result.accepted() == 0 ? 1 : 0;
    cases += test_case(report, result);
  }
  std::string errors;
  for (const Trouble& trouble : report.troubles) errors += escaped(trouble.message) + "&#10;";
  if (!errors.empty()) errors = "  <system-err>" + errors + "</system-err>\n";
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      " <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">\n"
      "{}{}{} </testsuite>\n</testsuites>\n",
      escaped("qkvet " + report.candidate), report.properties.size(), failed,
      report.troubles.size(), skipped, criteria(report), cases, errors);
}

}  // namespace qkvet
