// The writers of reports: free functions from plain data to text.
#pragma once

#include <qkvet/report/report.hpp>
#include <string>
#include <string_view>

namespace qkvet {

/// The table and the FAIL blocks that a person reads.
[[nodiscard]] std::string write_text(const Report& report);

/// One finding as a FAIL (or suspect) block; `word` is the printed verdict.
[[nodiscard]] std::string write_finding(const FindingRecord& record, std::string_view word);

/// One JSON object. NaN and infinities are the strings "nan", "inf", "-inf"; invalid UTF-8 is
/// replaced.
[[nodiscard]] std::string write_json(const Report& report);

/// JUnit XML: one test case per property. Control characters and invalid UTF-8 are replaced.
[[nodiscard]] std::string write_junit(const Report& report);

/// True if the finding is about a value at a place, not about a whole call (a crash, a memory
/// fault).
[[nodiscard]] bool about_a_place(const Finding& finding);

/// What a Place admits, in words: "allowed [a, b]", "NaN", "any value" ...
[[nodiscard]] std::string describe_allowed(const Place& place);

/// "o[0,0,3,1]" or "lse[0,0,3]".
[[nodiscard]] std::string describe_place(const PlaceIndex& place);

/// `text` as valid UTF-8 without control characters other than newline and tab: bad bytes become
/// '?'.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace qkvet
