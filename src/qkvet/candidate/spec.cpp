#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <qkvet/candidate/locate.hpp>
#include <qkvet/candidate/presets.hpp>
#include <qkvet/candidate/spec.hpp>
#include <qkvet/num/error.hpp>
#include <utility>

namespace qkvet {
namespace {

namespace fs = std::filesystem;

bool is_file(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

void require_file(const std::string& spec, const std::string& path) {
  std::error_code error;
  if (!is_file(path)) {
    throw InputError(ExitCode::missing_input,
                     fmt::format("candidate '{}': there is no file '{}'", spec, path));
  }
  if (!fs::is_regular_file(path, error)) {
    throw InputError(ExitCode::missing_input,
                     fmt::format("candidate '{}': '{}' is not a file", spec, path));
  }
}

// "path:name" at the last colon, unless the whole is a file.
std::pair<std::string, std::string> split_name(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || is_file(text)) return {text, {}};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::vector<std::string> environment_of(const std::vector<std::string>& pass) {
  // perturb fills fresh and freed heap memory; without tcache_count=0 small chunks would escape it.
  std::vector<std::string> environment{
      "PATH=/usr/local/bin:/usr/bin:/bin",
      "GLIBC_TUNABLES=glibc.malloc.perturb=128:glibc.malloc.tcache_count=0"};
  for (const std::string& name : pass) {
    const char* value = std::getenv(name.c_str());  // what the user asked for by --env
    if (value == nullptr) continue;
    std::erase_if(environment, [&](const std::string& e) { return e.starts_with(name + "="); });
    environment.push_back(name + "=" + value);
  }
  return environment;
}

std::string worker_executable(const WorkerOptions& options) {
  const std::string path =
      options.worker.empty() ? (executable_directory() / "qkvet-worker").string() : options.worker;
  if (!is_file(path)) {
    throw InputError(ExitCode::isolation,
                     fmt::format("the worker executable '{}' is missing; hint: it belongs beside "
                                 "qkvet: build the target qkvet-worker",
                                 path));
  }
  return path;
}

WorkerCommand python_command(const std::string& spec, const WorkerOptions& options) {
  const fs::path share =
      share_directory(options.worker.empty() ? fs::path() : fs::path(options.worker).parent_path());
  const auto [source, function] = split_name(spec.substr(3));
  if (function.empty() || source.empty()) {
    throw InputError(ExitCode::usage, fmt::format("candidate '{}': expected py:FILE.py:FUNCTION or "
                                                  "py:MODULE:FUNCTION",
                                                  spec));
  }
  if (source.ends_with(".py") || source.find('/') != std::string::npos) require_file(spec, source);
  if (options.tensors != "numpy" && options.tensors != "torch") {
    throw InputError(ExitCode::usage,
                     fmt::format("--tensors: '{}' is neither numpy nor torch", options.tensors));
  }
  const fs::path runner = share / "qkvet_runner.py";
  if (!is_file(runner.string())) {
    throw InputError(ExitCode::isolation,
                     fmt::format("the Python runner '{}' is missing", runner.string()));
  }
  const Preset preset = read_preset(options.preset, share);
  return {{options.python, runner.string(), source, function, fs::absolute(preset.file).string(),
           options.tensors},
          environment_of(options.pass_environment),
          preset.contract,
          "preset " + preset.name};
}

}  // namespace

WorkerCommand worker_command(const std::string& spec, const WorkerOptions& options) {
  if (spec.starts_with("py:")) return python_command(spec, options);
  for (const char* kind : {"onnx:", "kernelbench:", "cmd:"}) {
    if (spec.starts_with(kind)) {
      throw InputError(
          ExitCode::usage,
          fmt::format("candidate '{}': this qkvet does not know the kind '{}' yet; known: "
                      "./lib.so[:symbol], py:FILE.py:FUNCTION, builtin:NAME",
                      spec, kind));
    }
  }
  const std::string worker = worker_executable(options);
  WorkerCommand command{{worker, spec, ""}, environment_of(options.pass_environment), "", ""};
  if (spec.starts_with("builtin:")) return command;
  const auto [path, symbol] = split_name(spec);
  require_file(spec, path);
  command.argv = {worker, fs::absolute(path).string(),
                  symbol.empty() ? "qkvet_candidate_v1" : symbol};
  return command;
}

std::string load_hint(const std::string& message) {
  constexpr std::array<std::pair<const char*, const char*>, 6> hints{{
      {"invalid ELF header", "is it a shared library, built with -shared?"},
      {"file too short", "is it a shared library, built with -shared?"},
      {"wrong ELF class", "it is built for another word size"},
      {"__asan_", "it is built with AddressSanitizer: build it without, for this worker"},
      {"cannot open shared object file",
       "a library that it needs is not found: link it with -Wl,-rpath or pass --env "
       "LD_LIBRARY_PATH"},
      {"undefined symbol: qkvet_candidate",
       "export it: QKVET_CANDIDATE(fn) of kernel.h does, or name another symbol as LIB:SYMBOL"},
  }};
  for (const auto& [text, hint] : hints) {
    if (message.find(text) != std::string::npos) return std::string("; hint: ") + hint;
  }
  return {};
}

}  // namespace qkvet
