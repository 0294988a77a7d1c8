// The folder in which `qkvet fuzz` keeps inputs.
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>
#include <qkvet/campaign/fuzz.hpp>
#include <qkvet/problem/text.hpp>

namespace qkvet {

namespace fs = std::filesystem;

namespace {

// Longer texts are not kept on disk: they are all values, and the search finds their like again.
constexpr std::size_t most_text = std::size_t{1} << 17;

fs::path temporary_in(const fs::path& folder) {
  return folder / fmt::format(".qkvet.{}.tmp", getpid());
}

/// True if the whole text is in the file.
bool write(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  return !file.fail();
}

}  // namespace

void make_corpus_folder(const fs::path& folder) {
  const auto refuse = [&](std::string_view what) {
    throw InputError(ExitCode::cannot_create,
                     fmt::format("--corpus '{}': {}", folder.string(), what));
  };
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder)) {
    refuse(fs::exists(folder) ? "not a folder; give one, or a name that is free"
                              : "cannot create the folder: " + error.message());
  }
  const fs::path probe = temporary_in(folder);
  if (!write(probe, "")) refuse("no file can be made in this folder: new inputs cannot be kept");
  fs::remove(probe, error);
}

void keep_input(const fs::path& folder, const Problem& problem, std::string_view property,
                std::string_view stratum, const FuzzInput& input) {
  const Counterexample example{problem,
                               {{"property", std::string(property)},
                                {"reason", "reached a new class of input in qkvet fuzz"},
                                {"stratum", std::string(stratum)},
                                {"stream", write_fuzz_input(input)}}};
  const std::string text = write_counterexample(example);
  if (text.size() > most_text) return;
  const fs::path path = folder / fmt::format("fuzz-{}-{}.case", property, digest(problem));
  const fs::path temporary = temporary_in(folder);
  std::error_code error;
  if (write(temporary, text)) fs::rename(temporary, path, error);
  if (!error && fs::exists(path)) return;
  fs::remove(temporary, error);
  throw InputError(ExitCode::io_error,
                   fmt::format("--corpus '{}': an input could not be kept there (disk full?); the "
                               "search went on without",
                               folder.string()));
}

}  // namespace qkvet
