// The acceptance rules of others, counted beside our verdict over a campaign.
#pragma once

#include <qkvet/candidate/candidate.hpp>
#include <qkvet/check/criteria.hpp>
#include <qkvet/check/property.hpp>
#include <qkvet/report/report.hpp>
#include <string>
#include <vector>

namespace qkvet {

/// What every criterion says of the exhibit's first call, in the order of criteria(). `twin`, a
/// plain implementation, is run on the same problem; null, or a problem that it refuses, leaves
/// the rules that need one absent.
[[nodiscard]] std::vector<Ruling> rulings_on(const Exhibit& exhibit, Candidate* twin);

/// Adds them to the counts of a report, which has one entry per criterion from the first call on.
void count_rulings(Report& report, const Exhibit& exhibit, Candidate* twin);

/// All but ours in one line: "allclose pass, fa2x FAIL, ...".
[[nodiscard]] std::string rulings_line(const std::vector<Ruling>& rulings);

/// A table of one line per criterion, for one call.
[[nodiscard]] std::string describe_rulings(const std::vector<Ruling>& rulings);

}  // namespace qkvet
