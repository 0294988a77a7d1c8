// The door from a shell: every error becomes one message on stderr and an exit code.
#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <qkvet/check/examine.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/report/writers.hpp>
#include <system_error>

#include "cli/commands.hpp"
#include "cli/signals.hpp"

namespace {

using qkvet::ExitCode;

int report(ExitCode code, std::string_view kind, std::string_view what) {
  std::fflush(stdout);
  fmt::print(stderr, "qkvet: {}{}\n", kind, qkvet::printable(what));
  return static_cast<int>(code);
}

int guarded(int argc, char** argv) {
  try {
    const auto parsed = qkvet::cli::parse(argc, argv);
    if (const int* code = std::get_if<int>(&parsed)) return *code;
    return std::visit([](const auto& command) { return qkvet::cli::run(command); },
                      std::get<qkvet::cli::Command>(parsed));
  } catch (const qkvet::InputError& error) {
    return report(error.code(), "", error.what());
  } catch (const qkvet::OracleDisagreement& error) {
    return report(ExitCode::internal,
                  "the two oracles disagree; please report this: ", error.what());
  } catch (const std::exception& error) {
    // `qkvet list props | head`: who reads us has seen enough, there is nobody to tell.
    const auto* system = dynamic_cast<const std::system_error*>(&error);
    if (system != nullptr && system->code() == std::errc::broken_pipe) {
      return static_cast<int>(ExitCode::io_error);
    }
    return report(ExitCode::internal, "internal error; please report this: ", error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  qkvet::cli::catch_signals();
  const int code = guarded(argc, argv);
  // A result that did not reach its reader is not a result.
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    if (errno == EPIPE) return static_cast<int>(ExitCode::io_error);
    return report(ExitCode::io_error, "", "cannot write to standard output");
  }
  return code;
}
