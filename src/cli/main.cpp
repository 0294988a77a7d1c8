// The door from a shell: every error becomes one message on stderr and an exit code.
#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <qkvet/check/examine.hpp>
#include <qkvet/num/error.hpp>
#include <qkvet/report/writers.hpp>

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
    return report(ExitCode::internal, "internal error; please report this: ", error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  qkvet::cli::catch_signals();
  const int code = guarded(argc, argv);
  // A result that did not reach its reader is not a result.
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return report(ExitCode::io_error, "", "cannot write to standard output");
  }
  return code;
}
