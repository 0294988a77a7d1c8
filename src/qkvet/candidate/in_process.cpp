// Level L0: a kernel of this process. No guard pages and no time-outs, so only for our own kernels
// and for code that the user linked himself; canaries, poison and the other checks are the same.
#include <fmt/format.h>
#include <sys/mman.h>

#include <memory>
#include <optional>
#include <qkvet/candidate/arena.hpp>
#include <qkvet/candidate/call.hpp>
#include <qkvet/candidate/candidate.hpp>
#include <qkvet/num/error.hpp>

namespace qkvet {
namespace {

constexpr std::size_t cache_line = 64;

struct alignas(cache_line) Line {
  std::array<std::byte, cache_line> bytes;
};

/// Lazily mapped memory for one call of vast strides; `data` is null if there is none.
class Vast {
 public:
  explicit Vast(std::size_t bytes) : bytes_(bytes) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at != MAP_FAILED) data_ = static_cast<std::byte*>(at);
  }
  ~Vast() {
    if (data_ != nullptr) munmap(data_, bytes_);
  }
  Vast(const Vast&) = delete;
  Vast& operator=(const Vast&) = delete;
  [[nodiscard]] std::byte* data() const { return data_; }

 private:
  std::size_t bytes_;
  std::byte* data_ = nullptr;
};

constexpr std::int64_t kept_at_most = std::int64_t{1} << 28;  // bytes of ordinary memory

class InProcess final : public Candidate {
 public:
  InProcess(const qkvet_candidate& table, ContractSet contracts)
      : table_(table),
        name_(table.name == nullptr ? "unnamed" : printable(table.name, 80)),
        contracts_(std::move(contracts)) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] const ContractSet& contracts() const override { return contracts_; }
  [[nodiscard]] const char* isolation() const override { return "L0"; }

  using Candidate::run;
  [[nodiscard]] Observation run(const Problem& problem, const OutputFormats& due) override {
    Pieces pieces = pieces_of(problem, due);
    std::optional<Vast> vast;  // lives as long as the pieces
    if (!place_all(pieces, vast)) {
      Observation refused;
      refused.status = RunStatus::refused;
      refused.message = std::string(no_memory) + "strides span too much";
      return refused;
    }
    wire::Request request{};
    describe(problem, pieces, request);
    for (std::size_t n = 0; n < slot_count; ++n) {
      request.tensors[0][n].offset = static_cast<std::int64_t>(
          reinterpret_cast<std::uintptr_t>(pieces[n].origin));  // an address: both bases are 0
    }
    const std::vector<std::int64_t> ranges = ranges_of(problem);
    std::vector<std::int64_t> ranges_seen = ranges;

    Observation observation;
    std::array<Outputs, 2> outputs;
    for (const Poison poison : {Poison::nan, Poison::finite}) {
      fill(pieces, problem, poison);
      const Arguments arguments(request, 0, 0, 0, ranges_seen.data());
      CallResult result = invoke(table_, arguments.args());
      outputs[static_cast<std::size_t>(poison)] = collect(pieces, poison);
      check_memory(pieces, problem, poison, false, observation.faults);
      if (ranges_seen != ranges) {
        observation.faults.push_back({Fault::Kind::input_changed, "mask", "key ranges or offsets"});
        ranges_seen = ranges;
      }
      if (!result.environment.empty()) {
        observation.faults.push_back({Fault::Kind::environment, "", result.environment});
      }
      if (poison == Poison::finite && result.status == RunStatus::refused) {
        result.status = RunStatus::failed;
        result.message = "refused in the second of two equal calls: " + result.message;
      }
      observation.status = result.status;
      observation.message = std::move(result.message);
      if (observation.status != RunStatus::ok) break;
    }
    drop_repeated_faults(observation.faults);
    if (observation.status == RunStatus::ok) {
      join(std::move(outputs[0]), std::move(outputs[1]), observation);
    }
    return observation;
  }

 private:
  bool place_all(Pieces& pieces, std::optional<Vast>& vast) {
    std::int64_t total = 0;
    for (const Piece& piece : pieces) total += room(piece);
    std::byte* at = nullptr;
    if (total > kept_at_most) {
      at = vast.emplace(static_cast<std::size_t>(total)).data();
      if (at == nullptr) return false;
    } else {
      const auto lines = static_cast<std::size_t>(total) / cache_line;
      if (memory_.size() < lines) memory_.resize(lines);
      at = reinterpret_cast<std::byte*>(memory_.data());
    }
    for (Piece& piece : pieces) {
      const auto bytes = static_cast<std::size_t>(room(piece));
      place(piece, {at, bytes}, Side::right);
      at += bytes;
    }
    return true;
  }

  const qkvet_candidate& table_;
  std::string name_;
  ContractSet contracts_;
  std::vector<Line> memory_;  // kept between runs
};

}  // namespace

std::unique_ptr<Candidate> in_process(const qkvet_candidate& table) {
  if (const auto defect = table_defect(&table)) {
    throw InputError(ExitCode::candidate_unusable, "candidate in this process: " + *defect);
  }
  ContractSet contracts;
  if (table.contract != nullptr) contracts = read_contracts(table.contract, "candidate");
  return std::make_unique<InProcess>(table, std::move(contracts));
}

}  // namespace qkvet
