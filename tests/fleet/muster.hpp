// Runs the whole fleet over the same drawn cases: the exact answer once per case, the bound once per
// contract, all kernels against them.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/check/verdict.hpp>
#include <string>
#include <vector>

namespace fleet {

/// What one kernel showed.
struct Record {
  std::string name;
  std::string contract;  ///< the name of the contract that it was held to
  std::int64_t cases = 0;
  qkvet::Tally places;                ///< outputs and LSEs by kind
  double worst = 0;                   ///< largest error / radius
  std::int64_t worst_case = 0;        ///< the number of the case that showed it
  std::vector<std::string> failures;  ///< sentences, the case text among them
};

/// Elements by kind, per stratum of the draw, under the first kernel's contract.
struct Muster {
  std::vector<Record> records;
  std::map<std::string, qkvet::Tally> strata;
  qkvet::Tally total;

  [[nodiscard]] std::int64_t failures() const;
  /// The share of all outputs and LSEs, of all kernels, of which nothing could be said: uncheckable
  /// ones, the vacuous among them. (A kernel of the fleet that refuses a problem is a failure.)
  [[nodiscard]] double undecided() const;
  [[nodiscard]] std::string text() const;
};

/// Which problems: numbers `first` to `first + cases` of `seed`, all in one format; of one stratum,
/// if named.
struct Draws {
  std::int64_t first = 0, cases = 500;
  std::uint64_t seed = 1;
  std::string stratum;
  qkvet::Format format = qkvet::Format::binary32;
  std::int64_t work = std::numeric_limits<std::int64_t>::max();  ///< most multiply-adds of one
  bool hostile = false;  ///< V is replaced: with_hostile_values
};

/// Judges every candidate on all of them. What is not well inside the first rung is decided by Arb.
[[nodiscard]] Muster muster(const std::vector<qkvet::Candidate*>& candidates, const Draws& draws);

struct Named {
  std::string name;
  qkvet::Problem problem;
};

/// The same on given problems, each by the candidates whose limits hold it; "case" is the place in the list.
[[nodiscard]] Muster muster(const std::vector<qkvet::Candidate*>& candidates,
                            const std::vector<Named>& problems);

}  // namespace fleet
