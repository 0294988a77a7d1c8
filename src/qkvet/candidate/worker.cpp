// Level L1: a candidate in a process of its own. The supervisor's half: places the tensors in
// shared memory, asks, waits, copies out, and starts a fresh worker when one dies.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <qkvet/candidate/arena.hpp>
#include <qkvet/candidate/call.hpp>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/candidate/crash.hpp>
#include <qkvet/candidate/process.hpp>
#include <qkvet/candidate/shared_memory.hpp>
#include <qkvet/candidate/spec.hpp>
#include <qkvet/num/error.hpp>

namespace qkvet {
namespace {

/// Bytes of a cell beyond which a machine may well not map so much.
constexpr std::int64_t vast_capacity = std::int64_t{1} << 32;
constexpr int tries = 3;  // fresh workers that must confirm a crash (any of them) or a hang (all)

bool has_odd_bytes(const Problem& problem) {
  if (!problem.mask.attend) return false;
  const std::vector<std::uint8_t>& bytes = problem.mask.attend->attend;
  return std::any_of(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte > 1; });
}

/// For the libraries behind Python a boolean is a byte of 0 or 1; only our C ABI says "nonzero".
Problem plain_bytes(const Problem& problem) {
  Problem plain = problem;
  for (std::uint8_t& byte : plain.mask.attend->attend) byte = byte != 0 ? 1 : 0;
  return plain;
}

template <std::size_t N>
std::string text_of(const std::array<char, N>& chars) {
  return std::string(chars.data(), strnlen(chars.data(), N));
}

class Worker final : public Candidate {
 public:
  Worker(std::string spec, const WorkerOptions& options)
      : spec_(std::move(spec)), options_(options), command_(worker_command(spec_, options)) {
    start(std::int64_t{1} << 24);
    std::string text = text_of(memory_->reply().contract);
    std::string source = "candidate";
    if (text.empty()) text = command_.contract, source = command_.contract_source;
    if (text.empty()) return;
    try {
      contracts_ = read_contracts(text, source);
    } catch (const InputError& error) {
      throw InputError(ExitCode::candidate_unusable,
                       fmt::format("candidate '{}': its contract: {}", spec_, error.what()));
    }
  }

  [[nodiscard]] const std::string& name() const override { return spec_; }
  [[nodiscard]] const ContractSet& contracts() const override { return contracts_; }
  [[nodiscard]] const char* isolation() const override { return "L1"; }

  using Candidate::run;
  [[nodiscard]] Observation run(const Problem& problem, const OutputFormats& outputs) override {
    if (has_odd_bytes(problem) && spec_.starts_with("py:")) {
      const Problem plain = plain_bytes(problem);
      return run_case({plain, outputs});
    }
    return run_case({problem, outputs});
  }
  [[nodiscard]] bool renew() override {
    process_.reset();
    return true;
  }

 private:
  struct Case {
    const Problem& problem;
    const OutputFormats& outputs;
  };
  Observation run_case(const Case& wanted) {
    Observation seen = attempt(wanted);
    if (seen.status == RunStatus::crashed) return confirm_crash(wanted, std::move(seen));
    if (seen.status == RunStatus::timed_out) return confirm_hang(wanted, std::move(seen));
    return seen;
  }
  void start(std::int64_t capacity);
  Observation attempt(const Case& wanted);
  void ask(const Problem& problem, Pieces& right, Pieces& left);
  Observation dead(Process::Event event, const Pieces& right, const Pieces& left);
  Observation answered(const Problem& problem, const Pieces& right, const Pieces& left);
  Observation confirm_crash(const Case& wanted, Observation first);
  Observation confirm_hang(const Case& wanted, Observation first);
  std::string with_output(std::string message) {
    const std::string printed = process_->printed();
    return printed.empty() ? message : message + "; it printed: " + printed;
  }

  std::string spec_;
  WorkerOptions options_;
  WorkerCommand command_;
  ContractSet contracts_;
  std::unique_ptr<SharedMemory> memory_;
  std::unique_ptr<Process> process_;
  std::uint64_t sequence_ = 0;
  bool hang_confirmed_ = false;
};

void Worker::start(std::int64_t capacity) {
  process_.reset();
  if (memory_ == nullptr || memory_->capacity() < capacity) {
    memory_ = std::make_unique<SharedMemory>(capacity);
  }
  std::memset(&memory_->reply(), 0, sizeof(wire::Reply));
  std::vector<std::string> argv = command_.argv;
  argv.push_back(std::to_string(memory_->capacity()));
  process_ = std::make_unique<Process>(argv, command_.environment, *memory_);
  const Process::Event event = process_->wait(options_.load_timeout_s);
  const wire::Reply& reply = memory_->reply();
  std::string why;
  if (event == Process::Event::timed_out) {
    why = fmt::format("did not load within {} s; hint: --load-timeout", options_.load_timeout_s);
  } else if (event == Process::Event::ended) {
    why = "ended while it was loaded: " + process_->finish();
  } else if (reply.status != static_cast<std::uint32_t>(wire::Status::ok)) {
    const std::string said = text_of(reply.message);
    why = printable(said) + load_hint(said);
  }
  if (why.empty()) return;
  why = with_output(why);
  process_.reset();
  throw InputError(ExitCode::candidate_unusable, fmt::format("candidate '{}': {}", spec_, why));
}

void Worker::ask(const Problem& problem, Pieces& right, Pieces& left) {
  memory_->place_all(right, Side::right);
  memory_->place_all(left, Side::left);
  fill(right, problem, Poison::nan);
  fill(left, problem, Poison::finite);
  wire::Request& request = memory_->request();
  describe(problem, right, request);
  const std::vector<std::int64_t> ranges = ranges_of(problem);
  std::copy(ranges.begin(), ranges.end(), memory_->ranges());
  request.ranges = memory_->ranges_offset();
  for (std::size_t n = 0; n < slot_count; ++n) {
    if (!right[n].present) continue;
    const std::byte* base = memory_->base(static_cast<Slot>(n));
    request.tensors[0][n].offset = right[n].origin - base;
    request.tensors[1][n].offset = left[n].origin - base;
  }
  request.sequence = ++sequence_;
  wire::Reply& reply = memory_->reply();
  reply.sequence = 0;
  reply.started = 0;
  reply.fault_signal = 0;
  reply.message[0] = reply.environment[0] = '\0';
  process_->forget_output();
}

Observation Worker::attempt(const Case& wanted) {
  const Problem& problem = wanted.problem;
  Pieces right = pieces_of(problem, wanted.outputs);
  Pieces left = right;
  const std::int64_t capacity = needed_capacity(right, problem.shape.B);
  if (process_ == nullptr || memory_->capacity() < capacity) {
    try {
      start(capacity);
    } catch (const InputError& error) {
      Observation seen;
      if (capacity > vast_capacity) {
        memory_.reset();  // the next problem gets its own
        seen.status = RunStatus::refused;
        seen.message = std::string(no_memory) + error.what();
        return seen;
      }
      seen.status = RunStatus::crashed;
      seen.message = std::string("could not be started again: ") + error.what();
      return seen;
    }
  }
  ask(problem, right, left);
  Process::Event event = Process::Event::ended;
  if (process_->send(sequence_)) {
    // The limit is per call: the worker says when it begins the second one.
    event = process_->wait(options_.call_timeout_s);
    if (event == Process::Event::timed_out && memory_->reply().started == 2) {
      event = process_->wait(options_.call_timeout_s);
    }
  }
  if (event != Process::Event::answered) return dead(event, right, left);
  return answered(problem, right, left);
}

Observation Worker::dead(Process::Event event, const Pieces& right, const Pieces& left) {
  Observation seen;
  if (event == Process::Event::timed_out) {
    seen.status = RunStatus::timed_out;
    seen.message = fmt::format("no answer within {} s", options_.call_timeout_s);
  } else {
    seen.status = RunStatus::crashed;
    seen.message = process_->finish();
    explain_crash(*memory_, memory_->reply().started == 2 ? left : right, seen);
  }
  seen.message = with_output(seen.message);
  process_.reset();
  return seen;
}

Observation Worker::answered(const Problem& problem, const Pieces& right, const Pieces& left) {
  const wire::Reply& reply = memory_->reply();
  Observation seen;
  std::array<Outputs, 2> outputs{collect(right, Poison::nan),
                                 collect(left, Poison::finite)};
  check_memory(right, problem, Poison::nan, true, seen.faults);
  check_memory(left, problem, Poison::finite, true, seen.faults);
  drop_repeated_faults(seen.faults);
  if (const std::string changed = text_of(reply.environment); !changed.empty()) {
    seen.faults.push_back({Fault::Kind::environment, "", printable(changed)});
  }
  if (process_->answer() != sequence_ || reply.sequence != sequence_) {
    seen.status = RunStatus::failed;
    seen.message = "answered with a wrong sequence number: the answer was not the worker's";
    process_.reset();
    return seen;
  }
  switch (static_cast<wire::Status>(reply.status)) {
    case wire::Status::ok:
      break;
    case wire::Status::refused:
      seen.status = RunStatus::refused;
      break;
    case wire::Status::unusable:
      throw InputError(
          ExitCode::candidate_unusable,
          fmt::format("candidate '{}': {}", spec_, printable(text_of(reply.message))));
    default:
      seen.status = RunStatus::failed;
      break;
  }
  if (seen.status != RunStatus::ok) {
    seen.message = printable(text_of(reply.message));
    if (seen.status == RunStatus::refused && reply.started == 2) {
      seen.status = RunStatus::failed;
      seen.message = "refused in the second of two equal calls: " + seen.message;
    }
    if (seen.status == RunStatus::failed) seen.message = with_output(seen.message);
    return seen;
  }
  join(std::move(outputs[0]), std::move(outputs[1]), seen);
  return seen;
}

Observation Worker::confirm_crash(const Case& wanted, Observation first) {
  for (int n = 0; n < tries; ++n) {
    process_.reset();
    Observation again = attempt(wanted);
    if (again.status != RunStatus::crashed) continue;
    return again;  // from a fresh worker: nothing before this case had a part in it
  }
  first.message +=
      fmt::format("; not again in {} fresh workers: it depends on earlier calls", tries);
  return first;
}

Observation Worker::confirm_hang(const Case& wanted, Observation first) {
  // A slow machine is no finding: every fresh worker must hang too. Once one hang is proven, the
  // next ones (the minimiser's, mostly) need one confirmation.
  for (int n = 0; n < (hang_confirmed_ ? 1 : tries - 1); ++n) {
    process_.reset();
    Observation again = attempt(wanted);
    if (again.status != RunStatus::timed_out) return again;
  }
  hang_confirmed_ = true;
  first.message += "; again in fresh workers";
  return first;
}

}  // namespace

std::unique_ptr<Candidate> in_worker(const std::string& spec, const WorkerOptions& options) {
  return std::make_unique<Worker>(spec, options);
}

}  // namespace qkvet
