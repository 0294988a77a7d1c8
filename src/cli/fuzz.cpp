// `qkvet fuzz`: a guided search with a time limit or a number of runs; report and exit codes are
// those of `check`.
#include <fmt/format.h>

#include <chrono>
#include <qkvet/campaign/fuzz.hpp>

#include "cli/cases.hpp"
#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/signals.hpp"

namespace qkvet::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double default_seconds = 60;
// A finding of the last second is still made small, for this long.
constexpr double grace_seconds = 60;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

FuzzOptions fuzz_options(const Fuzz& options) {
  FuzzOptions fuzz;
  fuzz.campaign = drawn_cases(options);
  fuzz.campaign.profile = fuzz_profile();
  fuzz.runs = options.runs;
  std::vector<std::filesystem::path> folders;
  if (options.corpus) {
    fuzz.keep = *options.corpus;
    make_corpus_folder(fuzz.keep);
    folders.push_back(fuzz.keep);
  }
  fuzz.campaign.corpus = open_corpora(options, std::move(folders), true);
  return fuzz;
}

/// What the search did, for the report: the only lines that hold a clock.
std::string search_lines(const FuzzResult& result, const Fuzz& options, double seconds) {
  const FuzzProgress& reached = result.reached;
  std::string text = fmt::format(
      " search     {} executions in {:.1f} s, {:.0f}/s, {} from the corpus; ended by: {}\n"
      "            {} inputs kept{}, {} classes of input reached, worst error/bound {:.3g}\n",
      reached.executions, seconds, static_cast<double>(reached.executions) / seconds,
      result.report.corpus_cases, result.ended, reached.kept,
      options.corpus ? fmt::format(" (in {})", *options.corpus) : "", reached.classes,
      reached.worst);
  return text +
         "            guided by shapes and values; the kernel is not instrumented "
         "(docs/fuzzing.md)\n";
}

}  // namespace

int run(const Fuzz& options) {
  FuzzOptions fuzz = fuzz_options(options);
  need_outputs(options);
  const std::unique_ptr<Candidate> candidate = open_candidate(options.candidate);
  choose_formats(fuzz.campaign, options, *candidate);
  ProgressLine line;
  const auto begin = Clock::now();
  if (options.seconds || !options.runs) {
    const double limit = options.seconds.value_or(default_seconds);
    fuzz.time_up = [=] { return seconds_since(begin) >= limit; };
    fuzz.campaign.stopped = [=] {
      return signal_seen() != 0 || seconds_since(begin) >= limit + grace_seconds;
    };
  } else {
    fuzz.campaign.stopped = [] { return signal_seen() != 0; };
  }
  fuzz.progress = [&](const FuzzProgress& progress) { line.show(progress); };
  FuzzResult result = run_fuzz(*candidate, fuzz);
  line.clear();
  Report& report = result.report;
  if (report.interrupted && signal_seen() == 0) result.ended = "the time is up";
  report.search = search_lines(result, options, seconds_since(begin));
  report.interrupted = signal_seen() != 0;
  put_out(report, options);
  if (report.interrupted) return 128 + signal_seen();
  return static_cast<int>(exit_code(report));
}

}  // namespace qkvet::cli
