// `qkvet new`: a complete kernel to start from, and the line that compiles it.
#include <fmt/format.h>

#include <filesystem>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/campaign/store.hpp>
#include <qkvet/num/error.hpp>

#include "cli/commands.hpp"
#include "cli/paths.hpp"
#include "cli/templates.hpp"

namespace qkvet::cli {
namespace {

namespace fs = std::filesystem;

fs::path target(const New& options) {
  const std::string ending = options.language == "c" ? ".c" : ".py";
  const fs::path name = "attention" + ending;
  std::error_code ignored;
  fs::path path = options.path.empty() ? name : fs::path(options.path);
  if (fs::is_directory(path, ignored)) path /= name;
  if (path.extension() != ending) path += ending;  // The compiler goes by it.
  if (fs::exists(path, ignored)) {
    throw InputError(ExitCode::cannot_create,
                     fmt::format("{}: it exists; give another name or remove it", path.string()));
  }
  return path;
}

}  // namespace

int run(const New& options) {
  const fs::path path = target(options);
  write_durably(path, options.language == "c" ? c_template() : python_template());
  const std::string file = shell_quoted(path.string());
  fmt::print("wrote {}\n", path.string());
  if (options.language == "py") {
    fmt::print("check it:   qkvet check py:{}:attention\n", file);
    return static_cast<int>(ExitCode::holds);
  }
  fs::path library = path;
  library.replace_extension(".so");
  std::string loaded = library.string();
  if (!library.has_parent_path()) loaded.insert(0, "./");
  fmt::print("compile it: cc -std=c99 -O2 -shared -fPIC -I {} {} -o {} -lm\n",
             shell_quoted(include_folder().string()), file, shell_quoted(library.string()));
  fmt::print("check it:   qkvet check {}\n", shell_quoted(loaded));
  return static_cast<int>(ExitCode::holds);
}

}  // namespace qkvet::cli
