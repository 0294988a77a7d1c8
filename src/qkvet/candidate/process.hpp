// A worker process as its supervisor sees it: start, one question and answer, time-out, how it
// ended, and what it printed. Knows nothing of problems.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <qkvet/candidate/shared_memory.hpp>
#include <string>
#include <vector>

namespace qkvet {

class Process {
 public:
  enum class Event : std::uint8_t { answered, ended, timed_out };

  /// Starts argv[0] (searched in PATH if it has no slash) with exactly this environment, the shared
  /// memories and the descriptors of protocol.hpp. Throws InputError: candidate_unusable if it
  /// cannot be executed.
  Process(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
          const SharedMemory& memory);
  ~Process();  ///< kills the whole process group and reaps
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Sends a sequence number; false if nobody is there to take it.
  [[nodiscard]] bool send(std::uint64_t sequence);
  /// Waits for an answer, draining what the process prints. After `answered`, answer() is what it
  /// sent.
  [[nodiscard]] Event wait(double timeout_s);
  [[nodiscard]] std::uint64_t answer() const { return answer_; }

  /// Kills (if it still runs), reaps, and says how it ended: "SIGSEGV", "exited with code 3".
  [[nodiscard]] std::string finish();
  /// The end of what it printed since `forget_output`, escaped; empty if nothing.
  [[nodiscard]] std::string printed();
  void forget_output() { output_.clear(); }

 private:
  void drain();
  void kill_group() const;

  Descriptor socket_, capture_, life_, pidfd_;
  pid_t pid_ = -1;
  std::uint64_t answer_ = 0;
  std::string output_;
};

}  // namespace qkvet
