// What a candidate accepts: the Domain bounds what is drawn, shrunk to and probed.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/problem.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace qkvet {

/// Whether a feature may, must or must never be present.
enum class Allow : std::uint8_t { may, must, never };

/// Inclusive bounds of an extent.
struct Range {
  std::int64_t min = 0;
  std::int64_t max = std::int64_t{1} << 20;

  bool operator==(const Range&) const = default;
};

/// The defaults of a Domain. (Functions: g++ 12 warns of initializer lists in default members.)
[[nodiscard]] std::vector<Format> drawn_formats();          // f32, f64
[[nodiscard]] std::vector<Format> all_formats();            // f32, f64, bf16, f16
[[nodiscard]] std::vector<Diagonal::Kind> all_diagonals();  // tl, br, fixed

/// The set of Problems that a candidate takes and a user asked for. `draw` stays inside it,
/// `simpler` stays inside it, and a refusal inside it is a finding.
struct Domain {
  std::vector<Format> formats = drawn_formats();
  Range B, H_q, H_kv, L, S, d_k, d_v;
  Allow unequal_heads = Allow::may;    ///< d_k != d_v
  Allow unequal_lengths = Allow::may;  ///< L != S
  Allow grouped = Allow::may;          ///< H_q != H_kv
  Allow causal = Allow::may;
  std::vector<Diagonal::Kind> diagonals = all_diagonals();
  Allow window = Allow::may;
  Allow key_range = Allow::may;
  Allow bool_mask = Allow::may;
  Allow bias = Allow::may;
  Allow bias_infinite = Allow::may;  ///< -inf entries in the bias
  Allow softcap = Allow::may;
  Allow sinks = Allow::may;
  Allow alibi = Allow::may;
  Allow explicit_scale = Allow::may;
  Allow negative_scale = Allow::may;  ///< or zero
  Allow lse = Allow::may;
  Allow threads = Allow::may;             ///< a number of threads is wanted
  Allow splits = Allow::may;              ///< a number of splits is wanted
  Allow strided = Allow::may;             ///< any layout but contiguous, aligned
  Allow nonfinite = Allow::may;           ///< NaN or infinity in q, k, v
  Allow empty_rows = Allow::may;          ///< rows without a visible key
  /// Most multiply-adds of one problem; no limit of a candidate, only of what is drawn.
  std::int64_t work_budget = std::numeric_limits<std::int64_t>::max();

  bool operator==(const Domain&) const = default;
};

/// Absent if the problem lies inside the domain, else which limit it breaks, in words. A fixed
/// diagonal whose offsets are all those of an allowed kind counts as that kind.
[[nodiscard]] std::optional<std::string> outside(const Domain& domain, const Problem& problem);

/// Narrows `domain` by a user's `--where`: a comma-separated conjunction such as
/// "d_k=64,L<=32,causal=yes,window=no,format=f32,diagonal=br". Throws InputError(usage) on unknown
/// fields or values and if nothing is left.
[[nodiscard]] Domain narrow(const Domain& domain, std::string_view where);

/// The intersection of two domains (a candidate's limits and a user's wishes). Throws
/// InputError(usage) naming the field on which they contradict each other.
[[nodiscard]] Domain intersect(const Domain& a, const Domain& b);

/// Sets one limit: `key` a name of domain_help() ("H" sets H_q and H_kv), `op` one of "=", "<=",
/// ">=". Throws InputError(code) that begins with `context` (file and line, or the option).
void set_domain_field(Domain& domain, std::string_view key, std::string_view op,
                      std::string_view value, std::string_view context,
                      ExitCode code = ExitCode::bad_data);

/// The same from one line "key = value", "key <= value", "key >= value" or, as `write_domain`
/// writes ranges, "key = low..high".
void set_domain_line(Domain& domain, std::string_view line, std::string_view context,
                     ExitCode code = ExitCode::bad_data);

/// The field names and values that `narrow` and a contract's [limits] section accept, one line
/// each.
[[nodiscard]] std::string domain_help();

/// Canonical text of the limits that differ from an unlimited Domain: "key = value" lines, which
/// set_domain_line reads back.
[[nodiscard]] std::string write_domain(const Domain& domain);

}  // namespace qkvet
