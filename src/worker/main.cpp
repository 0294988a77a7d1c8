// qkvet-worker WHAT SYMBOL CAPACITY: runs one candidate for a supervisor, over the memory and the
// descriptors of candidate/protocol.hpp. Started by the library, never by hand.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <qkvet/candidate/call.hpp>
#include <qkvet/candidate/protocol.hpp>

#include "load.hpp"

namespace qkvet {
namespace {

wire::Reply* reply = nullptr;  // for the signal handler

template <std::size_t N>
void put(std::array<char, N>& chars, std::string_view text) {
  const std::size_t n = std::min(text.size(), N - 1);
  std::copy_n(text.data(), n, chars.data());
  chars[n] = '\0';
}

// Records where a memory fault happened, then lets the signal do what it does by default.
void on_fault(int signal, siginfo_t* about, void* context) {
  if (about->si_code > 0) {
    reply->fault_address = reinterpret_cast<std::uint64_t>(about->si_addr);
#if defined(__x86_64__)
    const auto* c = static_cast<const ucontext_t*>(context);
    reply->fault_write = (c->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
    (void)context;
#endif
    reply->fault_signal = static_cast<std::uint32_t>(signal);
  }
  raise(signal);  // pending until this handler returns; SA_RESETHAND has restored the default
}

void watch_faults() {
  static std::array<std::byte, 64 * 1024>
      stack;  // a stack overflow leaves no other place to stand on
  stack_t alternate{};
  alternate.ss_sp = stack.data();
  alternate.ss_size = stack.size();
  sigaltstack(&alternate, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = static_cast<int>(SA_SIGINFO | SA_ONSTACK | SA_RESETHAND);
  for (const int signal : {SIGSEGV, SIGBUS}) sigaction(signal, &action, nullptr);
}

void set_limits() {
  const auto limit = [](__rlimit_resource what, rlim_t value) {
    const rlimit both{value, value};
    setrlimit(what, &both);
  };
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_FSIZE, rlim_t{1} << 20);
  limit(RLIMIT_NOFILE, 64);
  // 1 TiB: against runaway allocation, not a budget. Strides beyond 2^31 elements of f64 take 0.7 TiB
  // of addresses, lazily mapped, for the cells of all tensors.
  limit(RLIMIT_AS, rlim_t{1} << 40);
}

// SIGIO (which ends a process) when the supervisor's end of the pipe is gone.
void die_with_supervisor() {
  fcntl(wire::life_fd, F_SETOWN, getpid());
  fcntl(wire::life_fd, F_SETFL, O_ASYNC | O_NONBLOCK);
}

// Maps a memory and takes the guards between its cells away.
std::byte* map(int fd, std::int64_t cells, std::int64_t capacity, int protection) {
  const auto size = static_cast<std::size_t>(wire::cell_offset(cells, capacity));
  void* at = mmap(nullptr, size, protection, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (at == MAP_FAILED) std::abort();
  auto* base = static_cast<std::byte*>(at);
  for (std::int64_t cell = 0; cell <= cells; ++cell) {
    std::byte* end = base + wire::cell_offset(cell, capacity);
    if (mprotect(end - wire::guard, static_cast<std::size_t>(wire::guard), PROT_NONE) != 0) {
      std::abort();
    }
  }
  return base;
}

void send(std::uint64_t sequence) {
  if (write(wire::socket_fd, &sequence, sizeof sequence) != sizeof sequence) _exit(0);
}

std::uint64_t receive() {
  std::uint64_t sequence = 0;
  ssize_t n = 0;
  do {
    n = read(wire::socket_fd, &sequence, sizeof sequence);
  } while (n < 0 && errno == EINTR);
  if (n != sizeof sequence) _exit(0);  // the supervisor is gone
  return sequence;
}

bool same_mask(const sigset_t& a, const sigset_t& b) {
  for (int signal = 1; signal < NSIG; ++signal) {
    if (sigismember(&a, signal) != sigismember(&b, signal)) return false;
  }
  return true;
}

wire::Status status_of(RunStatus status) {
  switch (status) {
    case RunStatus::ok:
      return wire::Status::ok;
    case RunStatus::refused:
      return wire::Status::refused;
    default:
      return wire::Status::failed;
  }
}

void serve(const qkvet_candidate& table, const std::byte* inputs, std::byte* outputs,
           std::int64_t capacity) {
  const auto& request =
      *reinterpret_cast<const wire::Request*>(inputs + wire::cell_offset(0, capacity));
  sigset_t before, after;
  sigprocmask(SIG_BLOCK, nullptr, &before);
  while (true) {
    receive();
    CallResult result;
    for (std::uint32_t call = 0; call < request.calls && result.status == RunStatus::ok; ++call) {
      const Arguments arguments(request, call, reinterpret_cast<std::uintptr_t>(inputs),
                                reinterpret_cast<std::uintptr_t>(outputs),
                                reinterpret_cast<const std::int64_t*>(inputs + request.ranges));
      reply->started = call + 1;
      result = invoke(table, arguments.args());
      sigprocmask(SIG_BLOCK, nullptr, &after);
      if (!same_mask(before, after)) {
        sigprocmask(SIG_SETMASK, &before, nullptr);
        if (result.environment.empty()) result.environment = "signal mask changed by the call";
      }
      if (!result.environment.empty()) put(reply->environment, result.environment);
    }
    put(reply->message, result.message);
    reply->status = static_cast<std::uint32_t>(status_of(result.status));
    reply->sequence = request.sequence;
    send(request.sequence);
  }
}

void work(const char* what, const char* symbol, std::int64_t capacity) {
  die_with_supervisor();
  set_limits();
  std::byte* inputs = map(wire::input_fd, wire::input_cells, capacity, PROT_READ);
  std::byte* outputs = map(wire::output_fd, wire::output_cells, capacity, PROT_READ | PROT_WRITE);
  reply = reinterpret_cast<wire::Reply*>(outputs + wire::cell_offset(0, capacity));
  reply->input_base = reinterpret_cast<std::uint64_t>(inputs);
  reply->output_base = reinterpret_cast<std::uint64_t>(outputs);
  watch_faults();
  const Loaded loaded = load_candidate(what, symbol);
  if (loaded.table == nullptr) {
    put(reply->message, loaded.defect);
    reply->status = static_cast<std::uint32_t>(wire::Status::unusable);
    send(0);
    _exit(0);
  }
  if (loaded.table->contract != nullptr) put(reply->contract, loaded.table->contract);
  reply->status = static_cast<std::uint32_t>(wire::Status::ok);
  send(0);
  serve(*loaded.table, inputs, outputs, capacity);
}

}  // namespace
}  // namespace qkvet

int main(int argc, char** argv) {
  if (argc != 4) {
    constexpr std::string_view text = "qkvet-worker is started by qkvet, not by hand\n";
    return write(2, text.data(), text.size()) < 0 ? 1 : 2;
  }
  close_range(qkvet::wire::life_fd + 1, ~0u, 0);  // whatever the host left open
  qkvet::work(argv[1], argv[2], std::strtoll(argv[3], nullptr, 10));
}
