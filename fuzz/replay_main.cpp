// The engine that is always there: runs a target over files and folders, under any compiler. Also
// says what an input stands for, derives bytes from text seeds, and draws blindly, for comparison.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/draw.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/engine.hpp"

namespace {

namespace fs = std::filesystem;

constexpr const char* usage =
    "usage: REPLAY [FLAGS] FILE|FOLDER...          run every input; exit 0 if nothing is found\n"
    "       REPLAY [FLAGS] --describe FILE         print what the input stands for\n"
    "       REPLAY [FLAGS] --derive FOLDER TO      write the bytes of the text seeds of FOLDER\n"
    "       REPLAY [FLAGS] --draw N                print the input that seed N draws\n"
    "       REPLAY [FLAGS] --blind SEED SECONDS    draw without guidance until something is found\n"
    "FLAGS: --size=tiny|tiles --where=EXPR --kernel=NAME\n";

[[noreturn]] void die(int code, const std::string& message) {
  std::fprintf(stderr, "replay: %s\n", message.c_str());
  std::exit(code);
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) die(66, "cannot read " + path.string());
  return text;
}

std::vector<fs::path> files_below(const fs::path& path) {
  std::error_code error;
  if (fs::is_regular_file(path, error)) return {path};
  if (!fs::is_directory(path, error)) {
    die(66, path.string() + ": no such file or folder; hint: scripts/fuzz makes the local corpus");
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

qkvet::fuzz::Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

/// Text seeds are run as text and as the bytes that they stand for.
int replay(const std::vector<std::string>& paths) {
  std::size_t inputs = 0, malformed = 0;
  const auto run = [&](qkvet::fuzz::Bytes bytes) {
    ++inputs;
    if (LLVMFuzzerTestOneInput(bytes.data(), bytes.size()) != 0) ++malformed;
  };
  for (const std::string& path : paths) {
    for (const fs::path& file : files_below(path)) {
      const std::string text = read(file);
      // A find ends the process: its name must be known by then.
      std::fprintf(stderr, "%s\n", file.c_str());
      run(bytes_of(text));
      const auto derived = qkvet::fuzz::derived_input(text);
      if (std::string_view(reinterpret_cast<const char*>(derived.data()), derived.size()) != text) {
        run(derived);
      }
    }
  }
  if (inputs == 0) die(66, "no input in the given folders");
  std::printf("%zu inputs, nothing found; %zu were malformed text\n", inputs, malformed);
  return 0;
}

int derive(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to, error);
  std::size_t as_bytes = 0, all = 0;
  for (const fs::path& file : files_below(from)) {
    const std::string text = read(file);
    const auto bytes = qkvet::fuzz::derived_input(text);
    const fs::path name = to / file.filename();
    std::ofstream out(name, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    out.close();
    if (!out) die(73, "cannot write " + name.string());
    ++all;
    if (bytes.size() != text.size() || std::memcmp(bytes.data(), text.data(), text.size()) != 0) {
      ++as_bytes;
    }
  }
  std::fprintf(stderr, "%zu seeds, %zu of them as bytes of choices\n", all, as_bytes);
  return 0;
}

/// Level ground for a comparison with a guided run: the same target, the same problems to draw
/// from, a seed of its own, no coverage to look at and none to pay for.
/// Seconds are those of the processor, so that a busy machine does not decide.
int blind(std::uint64_t seed, double seconds) {
  const auto passed = [] {
    return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC);
  };
  std::uint64_t runs = 0;
  for (; (runs & 63) != 0 || passed() < seconds; ++runs) {
    qkvet::fuzz::run_drawn(qkvet::mix(seed) + runs);
    if ((runs & (runs + 1)) == 0) std::fprintf(stderr, "#%llu\n", (unsigned long long)runs + 1);
  }
  std::printf("blind: %llu draws in %.1f s of the processor, nothing found\n",
              (unsigned long long)runs, passed());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words;
  std::vector<char*> flags{argv[0]};
  std::string mode;
  for (int n = 1; n < argc; ++n) {
    const std::string_view word = argv[n];
    if (word == "--describe" || word == "--derive" || word == "--draw" || word == "--blind") {
      mode = word;
    } else if (word.starts_with("--")) {
      flags.push_back(argv[n]);
    } else {
      words.emplace_back(word);
    }
  }
  int count = static_cast<int>(flags.size());
  char** kept = flags.data();
  LLVMFuzzerInitialize(&count, &kept);
  const auto number = [&](std::size_t at) { return std::strtoull(words[at].c_str(), nullptr, 0); };
  try {
    if (mode.empty() && !words.empty()) return replay(words);
    if (mode == "--describe" && words.size() == 1) {
      const std::string input = read(words[0]);
      std::printf("%s\n", qkvet::fuzz::describe(bytes_of(input)).c_str());
      return 0;
    }
    if (mode == "--derive" && words.size() == 2) return derive(words[0], words[1]);
    if (mode == "--draw" && words.size() == 1) {
      std::printf("%s\n", qkvet::fuzz::describe(qkvet::fuzz::drawn_input(number(0))).c_str());
      return 0;
    }
    if (mode == "--blind" && words.size() == 2) {
      return blind(number(0), std::strtod(words[1].c_str(), nullptr));
    }
  } catch (const qkvet::InputError& error) {
    die(65, error.what());
  }
  std::fputs(usage, stderr);
  return 2;
}
