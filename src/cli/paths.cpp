#include "cli/paths.hpp"

namespace qkvet::cli {
namespace {

namespace fs = std::filesystem;

fs::path installed_or(const fs::path& installed, const fs::path& probe, const char* built) {
  std::error_code ignored;
  const fs::path folder = (binary_folder() / ".." / installed).lexically_normal();
  return fs::exists(folder / probe, ignored) ? folder : fs::path(built);
}

}  // namespace

fs::path binary_folder() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path(".") : self.parent_path();
}

fs::path include_folder() {
  return installed_or("include", "qkvet/candidate/kernel.h", QKVET_SOURCE_FOLDER "/src");
}

fs::path presets_folder() {
  return installed_or("share/qkvet/presets", "", QKVET_SOURCE_FOLDER "/presets");
}

fs::path corpus_folder() {
  return installed_or("share/qkvet/corpus", "", QKVET_SOURCE_FOLDER "/corpus");
}

}  // namespace qkvet::cli
