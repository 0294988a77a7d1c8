#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace qkvet::cli {

ProgressLine::ProgressLine()
    : terminal_(isatty(STDERR_FILENO) != 0), begin_(Clock::now()), last_(begin_) {}

void ProgressLine::show(const Progress& progress) {
  const auto now = Clock::now();
  const auto period = terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(15000);
  if (now - last_ < period) return;
  last_ = now;
  shown_ = true;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  const double rate = static_cast<double>(progress.done) / seconds;
  const double left = static_cast<double>(progress.planned - progress.done) / rate;
  fmt::print(stderr,
             "{}{}: {} of {} cases, {:.0f}/s, {:.0f} s left, worst error/bound {:.3g}, {} "
             "failed{}",
             terminal_ ? "\r\x1b[K" : "", progress.property, progress.done, progress.planned, rate,
             left, progress.worst, progress.failed, terminal_ ? "" : "\n");
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (terminal_ && shown_) fmt::print(stderr, "\r\x1b[K");
}

}  // namespace qkvet::cli
