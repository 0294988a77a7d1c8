// What one guarded run of a candidate showed: output bits, how the call ended, what happened to
// memory.
#pragma once

#include <cstdint>
#include <qkvet/problem/tensor.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace qkvet {

enum class RunStatus : std::uint8_t {
  ok,
  refused,  ///< a clean refusal (UNSUPPORTED or INVALID)
  failed,   ///< the candidate said FAILED, raised, or returned something of the wrong shape or type
  crashed,  ///< signal, abort, exit
  timed_out,
};

/// Something that happened beside the values; each is a finding by itself.
struct Fault {
  enum class Kind : std::uint8_t {
    unwritten,      ///< a place still holds both poisons
    out_of_bounds,  ///< guard page hit or canary changed
    input_changed,
    environment,              ///< rounding mode, flush mode or signal mask changed by the call
    nondeterministic_poison,  ///< the result depends on what lay in the output before
  };
  Kind kind = Kind::unwritten;
  std::string tensor;  ///< "q", "k", "v", "o", "lse", ...
  std::string detail;  ///< "4 bytes before k", "o[0,1,3,0]" ...
};

/// The formats in which a candidate gets its output tensors.
struct OutputFormats {
  Format o = Format::binary32, lse = Format::binary32;
};

struct Outputs {
  Tensor o;                        ///< [B,H_q,L,d_v], in a Format of its own
  std::vector<std::uint64_t> lse;  ///< [B,H_q,L] bits of lse_format; empty if none was returned
  Format lse_format = Format::binary32;

  bool operator==(const Outputs&) const = default;
};

/// How the refusal of a Python preset begins that no limit of a contract can speak of: the argument
/// would have to hold what its type has not. It is no promise broken.
inline constexpr std::string_view signature_lacks = "the signature cannot say: ";

/// How the refusal begins of a problem whose memory this machine does not map: nobody was asked.
inline constexpr std::string_view no_memory = "its memory cannot be mapped here: ";

struct Observation {
  RunStatus status = RunStatus::ok;
  std::string message;  ///< refusal reason, signal name, exception text; control characters escaped
  Outputs outputs;      ///< of the first call, if status is ok
  std::vector<Outputs> repeats;  ///< of further calls whose bits differ from the first
  std::vector<Fault> faults;
};

}  // namespace qkvet
