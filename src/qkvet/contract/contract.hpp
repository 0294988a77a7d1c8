// A candidate's promise: which function (Semantics), in which arithmetic (Arithmetic), on which
// inputs (Domain), and what else (Promises). A text file; docs/contract.md is the manual.
#pragma once

#include <cstdint>
#include <optional>
#include <qkvet/contract/arithmetic.hpp>
#include <qkvet/problem/domain.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace qkvet {

/// The switches on which implementations differ (faults.md section 1). `exempt` = not declared:
/// such places are counted and shown, never assumed, but must still be written.
struct Semantics {
  enum class EmptyRow : std::uint8_t { exempt, zero, nan, mean };  ///< mean: of V over all S keys
  enum class EmptyLse : std::uint8_t { exempt, minus_inf, plus_inf, zero };
  enum class LseBase : std::uint8_t { exempt, e, two };
  enum class LseSink : std::uint8_t { exempt, included, excluded };
  enum class CapOrder : std::uint8_t {
    cap_then_bias,  ///< cap(scale * q.k) + bias: a -inf bias is a mask
    bias_then_cap,  ///< cap(scale * q.k + bias): a -inf bias becomes -cap, no mask
  };
  enum class VisibleNan : std::uint8_t { exempt, due };

  EmptyRow empty_row = EmptyRow::exempt;  ///< without a sink; with one O = 0 and LSE = sink are due
  EmptyLse empty_lse = EmptyLse::exempt;
  LseBase lse_base = LseBase::exempt;
  LseSink lse_sink = LseSink::exempt;
  CapOrder cap_order = CapOrder::cap_then_bias;
  VisibleNan visible_nan = VisibleNan::exempt;

  bool operator==(const Semantics&) const = default;
};

/// Promises beyond the value of each output; relations.md rule 3 says what each one means. A
/// promise of equal bits that is not given makes differing bits a line of the convention card,
/// never a finding.
struct Promises {
  bool deterministic = false, batch = false, row = false, columns = false, padding = false,
       channels = false, groups = false, layout = false, threads = false, splits = false,
       selection = false,  ///< hidden inputs are not read, NaN and infinity included
      mask_forms = false, symmetric = false, exact_one = false, weights_from_scores = false,
      minus_inf = false;  ///< a visible score of -inf beside a finite one weighs nothing

  bool operator==(const Promises&) const = default;
};

struct Contract {
  std::string name;  ///< for example "f32-any"
  int version = 1;
  std::string source;    ///< "builtin", a file, or "candidate": where the text came from
  bool assumed = false;  ///< nobody declared it: the loosest of the format
  Format format = Format::binary32;  ///< storage of q, k, v and o that it speaks of
  Semantics semantics;
  Arithmetic arithmetic;
  Domain limits;
  bool formats_limited = false;  ///< [limits] names formats; else those of `format` are taken too
  Promises promises;
  std::vector<std::string>
      assumed_fields;  ///< fields at their loosest value, "field (flag that sets it)"
};

/// The contracts of one candidate, one per storage format.
struct ContractSet {
  std::vector<Contract> contracts;

  /// The contract for problems of `format`: declared, else `<format>-any` marked as assumed, with
  /// the limits of the first declared one.
  [[nodiscard]] Contract at(Format format) const;
};

/// The contracts that come with qkvet: the loosest of each format (f64-any, f32-any, bf16-any,
/// f16-any), f64-ref, f32-ieee, f32-flash (structure), and for low formats FORMAT-fused (f32
/// inside, as fused kernels) and FORMAT-math (every step stored low, as unfused frameworks).
[[nodiscard]] const std::vector<Contract>& builtin_contracts();
[[nodiscard]] std::optional<Contract> builtin_contract(std::string_view name);

/// Reads contract text strictly: one or more contracts, each `contract = NAME`, optional `base =
/// NAME/1`, then sections [semantics] [arithmetic] [limits] [promises] of `field = value`.
/// InputError(bad_data) with source, line, field and the accepted values.
[[nodiscard]] ContractSet read_contracts(std::string_view text, std::string_view source);

/// Canonical text; reading it back gives an equal contract.
[[nodiscard]] std::string write_contract(const Contract& contract);
[[nodiscard]] std::string digest(const Contract& contract);

}  // namespace qkvet
