#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <qkvet/candidate/call.hpp>
#include <qkvet/candidate/process.hpp>
#include <qkvet/num/error.hpp>

namespace qkvet {
namespace {

constexpr std::size_t output_kept = 4096;  // the last bytes a worker printed
constexpr double grace_s = 1;              // for a process that closed its socket to end by itself

struct Pair {
  Descriptor ours, theirs;
};

Pair make_socket() {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) ends[0] = ends[1] = -1;
  return {out_of_the_way(ends[0], "socketpair"), out_of_the_way(ends[1], "socketpair")};
}

// A pipe of which we keep the reading end or the writing end.
Pair make_pipe(bool we_read) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) ends[0] = ends[1] = -1;
  Descriptor reading = out_of_the_way(ends[0], "pipe");
  Descriptor writing = out_of_the_way(ends[1], "pipe");
  if (!we_read) return {std::move(writing), std::move(reading)};
  fcntl(reading.get(), F_SETFL, O_NONBLOCK);
  return {std::move(reading), std::move(writing)};
}

std::vector<char*> pointers(const std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (const std::string& s : strings) result.push_back(const_cast<char*>(s.c_str()));
  result.push_back(nullptr);
  return result;
}

// posix_spawn with everything undone afterwards; returns an errno.
int spawn(pid_t& pid, const std::vector<std::string>& argv,
          const std::vector<std::string>& environment,
          const std::vector<std::pair<int, int>>& descriptors) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  for (const auto& [from, to] : descriptors) {
    posix_spawn_file_actions_adddup2(&actions, from, to);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  // A group of its own: Ctrl-C at the terminal is ours alone, and its children die with it.
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &all);
  const int error = posix_spawnp(&pid, argv[0].c_str(), &actions, &attributes,
                                 pointers(argv).data(), pointers(environment).data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

Process::Process(const std::vector<std::string>& argv, const std::vector<std::string>& environment,
                 const SharedMemory& memory) {
  Pair socket = make_socket();
  Pair capture = make_pipe(true);
  Pair life = make_pipe(false);
  const int error = spawn(pid_, argv, environment,
                          {{capture.theirs.get(), 1},
                           {capture.theirs.get(), 2},
                           {socket.theirs.get(), wire::socket_fd},
                           {memory.inputs().get(), wire::input_fd},
                           {memory.outputs().get(), wire::output_fd},
                           {life.theirs.get(), wire::life_fd}});
  if (error != 0) {
    pid_ = -1;
    throw InputError(ExitCode::candidate_unusable,
                     fmt::format("cannot start '{}': {}", argv[0], std::strerror(error)));
  }
  socket_ = std::move(socket.ours);
  capture_ = std::move(capture.ours);
  life_ = std::move(life.ours);
  const auto pidfd = static_cast<int>(
      syscall(SYS_pidfd_open, pid_, 0));  // -1 on old kernels: then the socket's end tells
  if (pidfd >= 0) pidfd_ = out_of_the_way(pidfd, "pidfd_open");
}

Process::~Process() { (void)finish(); }

bool Process::send(std::uint64_t sequence) {
  return ::send(socket_.get(), &sequence, sizeof sequence, MSG_NOSIGNAL) == sizeof sequence;
}

void Process::drain() {
  std::array<char, 4096> buffer;
  for (int rounds = 0; rounds < 64; ++rounds) {
    const ssize_t n = read(capture_.get(), buffer.data(), buffer.size());
    if (n <= 0) return;
    output_.append(buffer.data(), static_cast<std::size_t>(n));
    if (output_.size() > 2 * output_kept) output_.erase(0, output_.size() - output_kept);
  }
}

Process::Event Process::wait(double timeout_s) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(timeout_s));
  std::array<pollfd, 3> watched{
      {{socket_.get(), POLLIN, 0}, {pidfd_.get(), POLLIN, 0}, {capture_.get(), POLLIN, 0}}};
  while (true) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    const auto wait_ms = static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 1 << 30));
    const int ready = poll(watched.data(), watched.size(), wait_ms);
    if (ready < 0 && errno != EINTR) return Event::ended;
    if (watched[2].revents != 0) {
      drain();
      if ((watched[2].revents & POLLHUP) != 0) watched[2].fd = -1;
    }
    if (watched[0].revents != 0) {
      const ssize_t n = recv(socket_.get(), &answer_, sizeof answer_, MSG_DONTWAIT);
      return n == sizeof answer_ ? Event::answered : Event::ended;
    }
    if (watched[1].revents != 0) return Event::ended;
    if (ready == 0 && Clock::now() >= deadline) return Event::timed_out;
  }
}

void Process::kill_group() const {
  kill(-pid_, SIGKILL);
  kill(pid_, SIGKILL);
}

std::string Process::finish() {
  if (pid_ < 0) return "ended";
  if (pidfd_.get() >= 0) {  // let a process that is ending give its own reason
    pollfd ended{pidfd_.get(), POLLIN, 0};
    pollfd closed{socket_.get(), POLLIN, 0};
    const bool gone = poll(&closed, 1, 0) == 1 && (closed.revents & POLLHUP) != 0;
    if (gone) (void)poll(&ended, 1, static_cast<int>(grace_s * 1000));
  }
  siginfo_t seen{};
  const bool by_itself =
      waitid(P_PID, static_cast<id_t>(pid_), &seen, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      seen.si_pid == pid_;
  kill_group();
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  drain();
  if (!by_itself) return "stopped answering";
  if (WIFSIGNALED(status)) {
    const char* name = sigabbrev_np(WTERMSIG(status));
    return name != nullptr ? fmt::format("SIG{}", name)
                           : fmt::format("signal {}", WTERMSIG(status));
  }
  return fmt::format("exited with code {}", WEXITSTATUS(status));
}

std::string Process::printed() {
  drain();
  constexpr std::size_t shown = 600;
  std::string_view tail = output_;
  while (!tail.empty() && (tail.back() == '\n' || tail.back() == ' ')) tail.remove_suffix(1);
  const bool cut = tail.size() > shown;
  if (cut) tail.remove_prefix(tail.size() - shown);
  return (cut ? "..." : "") + printable(tail);
}

}  // namespace qkvet
