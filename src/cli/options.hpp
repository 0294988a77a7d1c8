// What the user typed, as plain data: one struct per command.
#pragma once

#include <cstdint>
#include <optional>
#include <qkvet/num/format.hpp>
#include <string>
#include <variant>
#include <vector>

namespace qkvet::cli {

/// How to reach a candidate, and what it promises.
struct CandidateOptions {
  std::string spec;  ///< builtin:NAME, ./lib.so[:symbol], py:file.py:fn
  std::optional<std::string> contract;
  std::optional<std::string> like, python, tensors;
  std::vector<std::string> env;
  double call_timeout_s = 10, load_timeout_s = 60;
};

/// Which acceptance rules are evaluated beside our verdict.
struct CriteriaOptions {
  bool all = false;        ///< --criteria
  std::string gate;        ///< --criterion: decides the exit code; "" or "certified": our verdict
  [[nodiscard]] bool wanted() const { return all || !gate.empty(); }
};

/// Which cases an engine puts to a candidate, and where its report goes.
struct CaseOptions {
  CandidateOptions candidate;
  std::uint64_t seed = 1;
  std::vector<std::string> properties;
  std::vector<Format> formats;
  std::vector<std::string> where;
  std::string out = "qkvet-out";
  std::optional<std::string> json, junit;
  bool stop_first = false, strict = false, skip_bad = false;
  bool no_corpus = false;  ///< the corpus that comes with qkvet is not replayed
  std::string command;  ///< the whole command line
};

struct Check : CaseOptions {
  std::string profile = "smoke";
  std::optional<std::int64_t> cases;
  std::vector<std::string> corpora;
  CriteriaOptions criteria;
};

struct Fuzz : CaseOptions {
  std::optional<double> seconds;  ///< neither: 60
  std::optional<std::int64_t> runs;
  std::optional<std::string> corpus;
};

struct Repro {
  CandidateOptions candidate;  ///< spec empty: print what is expected
  std::string problem;         ///< qk1: text or a file
  std::vector<std::string> properties;
  CriteriaOptions criteria;
  std::string command;
};

struct Ref {
  std::string problem;
  int digits = 40;
  std::optional<Format> round;  ///< the answer rounded once to this format, instead of digits
  std::optional<std::string> contract;
};

struct Explain {
  std::string subject;  ///< a case, "worked-example" or a property; empty: the format itself
  std::optional<std::string> contract;
  std::optional<Format> format;
};

struct Judge {
  std::string q, k, v, out;
  std::optional<std::string> lse, mask, bias, contract;
  std::optional<std::string> causal;  ///< tl, br or an offset
  std::optional<Format> format;       ///< of q, k, v: bf16 has no name of its own in .npy files
  std::optional<double> scale;
  double softcap = 0;
  CriteriaOptions criteria;
};

struct List {
  std::string what;
  std::string name;  ///< of one contract, or empty
  std::string profile = "ci";  ///< of coverage
  std::uint64_t seed = 1;      ///< of coverage
  bool all = false;            ///< every pair of the coverage, not only the rare ones
  std::string json;            ///< where the coverage goes as JSON; empty: nowhere
};

/// `qkvet corpus ACTION`; which fields an action reads is said in its help.
struct CorpusTool {
  std::string action;                ///< list, convert, import or min
  std::vector<std::string> sources;  ///< what is read
  std::string target;                ///< what is written: a folder, or a file of convert
  std::string to;                    ///< convert: text or bytes
  std::optional<std::string> where;  ///< the domain in which bytes are choices
  std::optional<std::string> provenance, reason, property, name;
  CandidateOptions candidate;  ///< min: spec empty: features only
  bool skip_bad = false;
};

struct New {
  std::string language;
  std::string path;
};

struct Doctor {
  std::optional<std::string> python;
};

using Command =
    std::variant<Check, Fuzz, Repro, Ref, Explain, Judge, List, CorpusTool, New, Doctor>;

/// The command, or the exit code when there is nothing more to do (help was printed). Throws
/// InputError(usage) that names the option, its value and a hint.
[[nodiscard]] std::variant<Command, int> parse(int argc, char** argv);

}  // namespace qkvet::cli
