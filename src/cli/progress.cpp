#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace qkvet::cli {

ProgressLine::ProgressLine()
    : terminal_(isatty(STDERR_FILENO) != 0), begin_(Clock::now()), last_(begin_) {}

bool ProgressLine::due() {
  const auto now = Clock::now();
  const auto period = terminal_ ? std::chrono::milliseconds(200) : std::chrono::milliseconds(15000);
  if (now - last_ < period) return false;
  last_ = now;
  shown_ = true;
  return true;
}

double ProgressLine::seconds() const {
  return std::chrono::duration<double>(last_ - begin_).count();
}

void ProgressLine::write(const std::string& text) const {
  fmt::print(stderr, "{}{}{}", terminal_ ? "\r\x1b[K" : "", text, terminal_ ? "" : "\n");
  std::fflush(stderr);
}

void ProgressLine::show(const Progress& progress) {
  if (!due()) return;
  const double rate = static_cast<double>(progress.done) / seconds();
  const double left = static_cast<double>(progress.planned - progress.done) / rate;
  write(fmt::format(
      "{}: {} of {} cases, {:.0f}/s, {:.0f} s left, worst error/bound {:.3g}, {} failed",
      progress.property, progress.done, progress.planned, rate, left, progress.worst,
      progress.failed));
}

void ProgressLine::show(const FuzzProgress& progress) {
  if (!due()) return;
  const double rate = static_cast<double>(progress.executions) / seconds();
  write(fmt::format(
      "{:.0f} s: {} executions, {:.0f}/s, {} inputs kept, {} classes reached, worst error/bound "
      "{:.3g}, {} failed",
      seconds(), progress.executions, rate, progress.kept, progress.classes, progress.worst,
      progress.failed));
}

void ProgressLine::clear() {
  if (terminal_ && shown_) fmt::print(stderr, "\r\x1b[K");
}

}  // namespace qkvet::cli
