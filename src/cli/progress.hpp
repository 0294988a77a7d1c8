// Progress on stderr: one line that rewrites itself on a terminal, else a line per 15 seconds.
#pragma once

#include <chrono>
#include <qkvet/campaign/fuzz.hpp>
#include <string>

namespace qkvet::cli {

class ProgressLine {
 public:
  ProgressLine();
  void show(const Progress& progress);
  void show(const FuzzProgress& progress);
  /// Takes the line off the terminal.
  void clear();

 private:
  using Clock = std::chrono::steady_clock;

  /// True if it is time for another line; then the line counts as written.
  [[nodiscard]] bool due();
  [[nodiscard]] double seconds() const;
  void write(const std::string& text) const;

  bool terminal_ = false;
  bool shown_ = false;
  Clock::time_point begin_, last_;
};

}  // namespace qkvet::cli
