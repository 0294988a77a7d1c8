#include <qkvet/candidate/locate.hpp>

namespace qkvet {

std::filesystem::path executable_directory() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? std::filesystem::path(".") : self.parent_path();
}

std::filesystem::path share_directory(const std::filesystem::path& beside) {
  const std::filesystem::path bin = beside.empty() ? executable_directory() : beside;
  return bin.parent_path() / "share" / "qkvet";
}

}  // namespace qkvet
