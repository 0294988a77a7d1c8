// From the description of a call to the structs of the C ABI, and the guarded call itself. Used by
// in-process candidates and by the native worker.
#pragma once

#include <qkvet/candidate/kernel.h>

#include <array>
#include <optional>
#include <qkvet/candidate/arena.hpp>
#include <qkvet/candidate/observation.hpp>
#include <qkvet/candidate/protocol.hpp>
#include <string>

namespace qkvet {

/// Fills everything of `request` but the tensors' offsets, the sequence and the place of the
/// ranges.
void describe(const Problem& problem, const Pieces& pieces, wire::Request& request);

/// The ranges of `problem`: [diagonal B][key start B][key end B].
[[nodiscard]] std::vector<std::int64_t> ranges_of(const Problem& problem);

/// The argument structs of one call. Not copyable: they point at one another.
class Arguments {
 public:
  /// `inputs` and `outputs` are the addresses to which the parts' offsets are relative.
  Arguments(const wire::Request& request, std::size_t call, std::uintptr_t inputs,
            std::uintptr_t outputs, const std::int64_t* ranges);
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;
  [[nodiscard]] const qkvet_args& args() const { return args_; }

 private:
  std::array<qkvet_tensor, slot_count> tensors_{};
  std::array<std::array<std::int64_t, 8>, slot_count> extents_{};  // shape, then strides
  qkvet_mask mask_{};
  qkvet_args args_{};
};

/// How a call ended.
struct CallResult {
  RunStatus status = RunStatus::ok;
  std::string message;
  std::string environment;  ///< what the call changed in the floating-point state (it is restored)
};

/// Asks `supports`, then calls `forward`; catches exceptions and restores the floating-point state.
[[nodiscard]] CallResult invoke(const qkvet_candidate& table, const qkvet_args& args);

/// Why a candidate's table cannot be used, if so.
[[nodiscard]] std::optional<std::string> table_defect(const qkvet_candidate* table);

/// `text` with control characters and bytes outside ASCII escaped as \xNN, at most `limit`
/// characters.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 2000);

}  // namespace qkvet
