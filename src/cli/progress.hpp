// Progress on stderr: one line that rewrites itself on a terminal, else a line per 15 seconds.
#pragma once

#include <chrono>
#include <qkvet/campaign/campaign.hpp>

namespace qkvet::cli {

class ProgressLine {
 public:
  ProgressLine();
  void show(const Progress& progress);
  /// Takes the line off the terminal.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool terminal_ = false;
  bool shown_ = false;
  Clock::time_point begin_, last_;
};

}  // namespace qkvet::cli
