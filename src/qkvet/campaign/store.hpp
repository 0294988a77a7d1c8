// Where findings are kept: whole files, durable before the next risky step.
#pragma once

#include <filesystem>
#include <qkvet/campaign/counterexample.hpp>
#include <string>
#include <string_view>

namespace qkvet {

/// Writes `text` to `path` by a temporary file, fsync, rename and fsync of the folder. A path that
/// is no regular file (a pipe, a device) is written to directly. Throws InputError(cannot_create)
/// if the file cannot be made and InputError(io_error) if writing fails (disk full, ...).
void write_durably(const std::filesystem::path& path, std::string_view text);

/// Reads a whole regular file; InputError(missing_input) if it is absent, not regular or
/// unreadable, InputError(bad_data) if it is larger than `limit` bytes.
[[nodiscard]] std::string read_file(const std::filesystem::path& path,
                                    std::size_t limit = std::size_t{1} << 30);

/// A folder of findings.
class Store {
 public:
  explicit Store(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Saves the case as found; durable on return.
  std::filesystem::path save_raw(const Counterexample& example) const;
  /// Saves the minimal case; durable on return.
  std::filesystem::path save_minimal(const Counterexample& example) const;

 private:
  [[nodiscard]] std::filesystem::path save(const Counterexample& example,
                                           std::string_view suffix) const;

  std::filesystem::path folder_;
};

}  // namespace qkvet
