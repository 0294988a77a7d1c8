#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <qkvet/campaign/store.hpp>
#include <qkvet/num/error.hpp>
#include <utility>

namespace qkvet {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(ExitCode code, const fs::path& path, const char* step, int error) {
  throw InputError(code, fmt::format("{}: cannot {}: {}", path.string(), step, strerror(error)));
}

/// A file descriptor that closes itself.
class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  [[nodiscard]] int get() const { return descriptor_; }
  /// Closes now: some file systems report a full disk only here.
  [[nodiscard]] bool close() { return ::close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
};

/// 0, or the error.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(descriptor, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n < 0 ? errno : EIO;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return 0;
}

void write_directly(const fs::path& path, std::string_view text) {
  const File file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) fail(ExitCode::cannot_create, path, "open it for writing", errno);
  if (const int error = write_all(file.get(), text)) fail(ExitCode::io_error, path, "write", error);
}

void sync_folder(const fs::path& folder) {
  const File file(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() >= 0) ::fsync(file.get());  // Not every file system can; the file itself is safe.
}

void write_and_rename(const fs::path& path, const fs::path& temporary, std::string_view text) {
  File file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.get() < 0) fail(ExitCode::cannot_create, path, "create it", errno);
  if (const int error = write_all(file.get(), text)) fail(ExitCode::io_error, path, "write", error);
  if (::fsync(file.get()) != 0) fail(ExitCode::io_error, path, "make it durable", errno);
  if (!file.close()) fail(ExitCode::io_error, path, "close it", errno);
  if (::rename(temporary.c_str(), path.c_str()) != 0) {
    fail(ExitCode::cannot_create, path, "rename the finished file to it", errno);
  }
}

}  // namespace

void write_durably(const fs::path& path, std::string_view text) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) fail(ExitCode::cannot_create, path, "write", EISDIR);
  if (fs::exists(status) && !fs::is_regular_file(status)) return write_directly(path, text);
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  const fs::path temporary =
      folder / fmt::format(".{}.{}.tmp", path.filename().string(), ::getpid());
  try {
    write_and_rename(path, temporary, text);
  } catch (const InputError&) {
    fs::remove(temporary, ignored);
    throw;
  }
  sync_folder(folder);
}

std::string read_file(const fs::path& path, std::size_t limit) {
  // O_NONBLOCK: a pipe without a writer must not hang us.
  const File file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) fail(ExitCode::missing_input, path, "open it", errno);
  struct stat about {};
  if (::fstat(file.get(), &about) != 0) fail(ExitCode::missing_input, path, "look at it", errno);
  if (!S_ISREG(about.st_mode)) {
    throw InputError(ExitCode::missing_input,
                     fmt::format("{}: not a regular file; give the path of a file", path.string()));
  }
  if (static_cast<std::size_t>(about.st_size) > limit) {
    throw InputError(ExitCode::bad_data, fmt::format("{}: {} bytes, the limit is {}", path.string(),
                                                     about.st_size, limit));
  }
  std::string text(static_cast<std::size_t>(about.st_size), '\0');
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::read(file.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail(ExitCode::missing_input, path, "read", errno);
    if (n == 0) break;
    done += static_cast<std::size_t>(n);
  }
  text.resize(done);
  return text;
}

fs::path Store::save(const Counterexample& example, std::string_view suffix) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) fail(ExitCode::cannot_create, folder_, "create the folder", error.value());
  const auto property = example.about.find("property");
  const std::string name = property == example.about.end() ? "case" : property->second;
  const fs::path path = folder_ / fmt::format("{}-{}{}", name, digest(example.problem), suffix);
  write_durably(path, write_counterexample(example));
  return path;
}

fs::path Store::save_raw(const Counterexample& example) const { return save(example, ".raw.case"); }

fs::path Store::save_minimal(const Counterexample& example) const { return save(example, ".case"); }

}  // namespace qkvet
