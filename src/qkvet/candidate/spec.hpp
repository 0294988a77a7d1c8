// What a user names on the command line as a candidate, and how its worker is started.
#pragma once

#include <qkvet/candidate/candidate.hpp>
#include <string>
#include <vector>

namespace qkvet {

struct WorkerCommand {
  std::vector<std::string> argv;         ///< without the capacity, which follows
  std::vector<std::string> environment;  ///< all of it
  std::string contract;                  ///< text that holds unless the candidate brings its own
  std::string contract_source;
};

/// Throws InputError: usage for an unknown kind of candidate, missing_input for a file that is not
/// there, isolation if the worker's own executable is missing.
[[nodiscard]] WorkerCommand worker_command(const std::string& spec, const WorkerOptions& options);

/// Advice for a loader's message, beginning with "; hint: ", or empty.
[[nodiscard]] std::string load_hint(const std::string& message);

}  // namespace qkvet
