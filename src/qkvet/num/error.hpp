// The two ways to stop: bad input from outside (an exception that main reports) and a broken
// invariant of ours (an abort that names the expression).
#pragma once

#include <stdexcept>
#include <string>

namespace qkvet {

/// Exit codes of the command line, as in the README; InputError carries the one that fits.
enum class ExitCode : int {
  holds = 0,
  fail = 1,
  usage = 2,
  nothing_tested = 3,
  inconclusive = 4,
  unexpected_pass = 5,
  bad_data = 65,
  missing_input = 66,
  candidate_unusable = 69,
  internal = 70,
  isolation = 71,
  cannot_create = 73,
  io_error = 74,
  stopped = 75,
};

/// Bad input from outside. The message names the file, the field, the offending text and a hint.
/// Caught only in main, at the ABI edge and in Python.
class InputError : public std::runtime_error {
 public:
  InputError(ExitCode code, const std::string& message)
      : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

namespace detail {
[[noreturn]] void assertion_failed(const char* expression, const char* file, int line);
}  // namespace detail

}  // namespace qkvet

/// Always on: a broken invariant of qkvet itself. Prints the expression and aborts.
#define QKVET_ASSERT(expression) \
  ((expression) ? void(0) : ::qkvet::detail::assertion_failed(#expression, __FILE__, __LINE__))
