// The kernel behind the measurement of detection: an online softmax in tiles of 64 keys with 16
// lanes a dot product, in f64, or in f32 on f32, f16 and bf16; right, and with one fault.
// docs/detection.md lists them.
#pragma once

#include <qkvet/candidate/kernel.h>

#include <cstdint>
#include <span>
#include <string>

namespace detection {

enum class Fault : std::uint8_t {
  none,
  no_rescale_of_values,
  no_rescale_of_sum,
  stale_maximum,
  tail_reads_previous_v,
  tail_counted_twice,
  middle_key_dropped,
  rows_swapped_at_tile,
  last_column_repeated,
  wrong_kv_head,
  causal_one_more,
  window_one_more,
  masked_by_minus_1e4,
  scale_of_padded_d_k,
  scale_in_bf16,
  softcap_before_scale,
  softcap_missing,
  sink_omitted,
  bias_in_bf16,
  dot_tail_in_bf16,
  tf32_inputs,
  log2e_1_4427,
  exp_degree_3,
  exp_clamped_at_20,
  exp_in_bf16,
  exp_f16_in_sum,
  sum_in_bf16,
  values_in_bf16_at_tiles,
  reciprocal_12_bits,
  parts_ignore_sums,
  light_last_key_skipped,
  maximum_from_0,
  no_maximum,
  empty_row_mean,
  output_truncated,
  // Small and systematic: within any bound of the worst case.
  exp_biased,
  sums_truncated,
  light_key_dropped,
};

/// One kernel. Those without a fault differ in order only.
struct Build {
  const char* name;
  Fault fault = Fault::none;
  std::int64_t tile = 64;
  bool reversed = false;
  bool listed = true;  ///< on the list whose mean has a goal (docs/detection.md)
};

/// All faults, each in the same kernel.
[[nodiscard]] std::span<const Build> mutants();
/// The same kernel without a fault, first in the declared structure, then in other orders.
[[nodiscard]] std::span<const Build> originals();

/// The contracts of originals() and of every mutant, one per format: no freedom that is not used.
/// `structure`: tiles and lanes of originals()[0] too, else sums in any order.
[[nodiscard]] std::string declared_contract(bool structure);

/// A build as a candidate, for as long as the program runs. `declared`: with that structure, else
/// with no contract.
[[nodiscard]] const qkvet_candidate& table_of(const Build& build, bool declared);

}  // namespace detection
