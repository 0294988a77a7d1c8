// `qkvet doctor`: what is here and what is missing, for a bug report.
#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/report/report.hpp>
#include <string>
#include <thread>

#include "cli/commands.hpp"
#include "cli/paths.hpp"

namespace qkvet::cli {
namespace {

void line(std::string_view name, std::string_view words) { fmt::print("{:<10} {}\n", name, words); }

/// The first line that a command prints, or empty if it fails.
std::string first_line(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return "";
  std::array<char, 256> text{};
  const bool read = std::fgets(text.data(), static_cast<int>(text.size()), pipe) != nullptr;
  const bool well = pclose(pipe) == 0;
  std::string result = read && well ? text.data() : "";
  while (!result.empty() && result.back() == '\n') result.pop_back();
  return result;
}

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string text; std::getline(file, text);) {
    const std::size_t colon = text.find(": ");
    if (text.starts_with("model name") && colon != text.npos) return text.substr(colon + 2);
  }
  return "unknown";
}

/// False if there is no such interpreter.
bool python_lines(const std::string& python) {
  const std::string quoted = shell_quoted(python);
  const std::string found =
      first_line(quoted +
                 " -c 'import platform, sys; "
                 "print(platform.python_version(), sys.executable)' 2>/dev/null");
  line("python", found.empty() ? python + ": not found" : found);
  if (found.empty()) return false;
  for (const std::string module : {"numpy", "ml_dtypes", "onnxruntime", "torch"}) {
    const std::string seen = first_line(quoted + " -c 'import " + module + "; print(" + module +
                                        ".__version__)' 2>/dev/null");
    line(module, seen.empty() ? "not found (needed only for candidates that use it)" : seen);
  }
  return true;
}

}  // namespace

int run(const Doctor& options) {
  line("qkvet", std::string(version()));
#if defined(__clang__)
  line("built by", fmt::format("clang {}.{}", __clang_major__, __clang_minor__));
#else
  line("built by", fmt::format("gcc {}.{}", __GNUC__, __GNUC_MINOR__));
#endif
  utsname system{};
  if (uname(&system) == 0)
    line("system", fmt::format("{} {} {}", system.sysname, system.release, system.machine));
  line("processor",
       fmt::format("{}, {} threads", processor(), std::thread::hardware_concurrency()));
  const std::filesystem::path worker = binary_folder() / "qkvet-worker";
  const bool present = access(worker.c_str(), X_OK) == 0;
  line("worker",
       worker.string() + (present ? "" : ": NOT FOUND, only builtin: candidates can run"));
  line("kernel.h", include_folder().string() + "/qkvet/candidate/kernel.h");
  line("presets", presets_folder().string());
  line("corpus", corpus_folder().string());
  const bool python = python_lines(options.python.value_or("python3"));
  if (!present) return static_cast<int>(ExitCode::isolation);
  // Only candidates in Python need an interpreter: one that was asked for must be there.
  const bool missed = options.python && !python;
  return static_cast<int>(missed ? ExitCode::candidate_unusable : ExitCode::holds);
}

}  // namespace qkvet::cli
