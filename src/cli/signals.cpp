#include "cli/signals.hpp"

#include <unistd.h>

#include <csignal>

namespace qkvet::cli {
namespace {

volatile std::sig_atomic_t seen = 0;  // What a handler may touch; there is no other global.

extern "C" void on_stop(int signal) {
  if (seen != 0) _exit(128 + signal);
  seen = signal;
}

extern "C" void on_pipe(int) {}  // A handler, not SIG_IGN, so that workers start with the default.

}  // namespace

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_stop;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  action.sa_handler = on_pipe;
  sigaction(SIGPIPE, &action, nullptr);
}

int signal_seen() { return seen; }

}  // namespace qkvet::cli
