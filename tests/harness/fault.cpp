// The state behind the switch: set from QKVET_HARNESS_FAULT before any other constructor runs, and
// told to the file QKVET_HARNESS_REACHED at the end.
#include "fault.hpp"

#include <cstdio>
#include <cstdlib>

int qkvet_harness_fault = -1;
int qkvet_harness_reached = 0;

namespace {

__attribute__((constructor(101))) void read_fault() {
  const char* const text = std::getenv("QKVET_HARNESS_FAULT");
  if (text == nullptr) return;
  char* end = nullptr;
  const long number = std::strtol(text, &end, 10);
  if (end == text || *end != '\0') {
    std::fprintf(stderr, "QKVET_HARNESS_FAULT='%s' is not a number\n", text);
    std::abort();
  }
  qkvet_harness_fault = static_cast<int>(number);
}

__attribute__((destructor(101))) void tell_reached() {
  const char* const path = std::getenv("QKVET_HARNESS_REACHED");
  if (path == nullptr || qkvet_harness_reached == 0) return;
  if (std::FILE* const file = std::fopen(path, "w")) {
    std::fputs("reached\n", file);
    std::fclose(file);
  }
}

}  // namespace
