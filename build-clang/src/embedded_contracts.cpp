// Made by the build from contracts/*.contract: edit those.
#include <qkvet/contract/builtin.hpp>

namespace qkvet::detail {
namespace {

constexpr EmbeddedContract files[] = {
    {"f32-any.contract", R"contract(# The loosest f32 contract: what is assumed when nothing is declared. It covers every kernel whose dot
# products and sums are componentwise backward stable in f32 and whose shift is the row maximum up to 8, in
# any order, tile or split. It does not cover: scores computed twice, sigmoid merges, ALiBi counted from
# the first key, merges of merges, or TF32, bf16 and fixed-point products. docs/contract.md explains each field.
contract = f32-any/1
format = f32
[semantics]
empty_row = exempt
empty_lse = exempt
lse_base = exempt
lse_sink = exempt
cap_order = cap_then_bias
visible_nan = exempt
[arithmetic]
dot = f32
dot_lanes = any
scale_side = any
scaled = f32
score = f32
scale_rounds = 2
score_rounds = 1
bias_rounds = 2
score_stores = 0
score_store = f32
constant_error = 4
tanh_error = 6
tanh_absolute = yes
alibi_origin = diagonal
mask_by = any
two_scores = no
exp_error = 4
argument_rounds = 2.5
exp_flushes = yes
shift = any
lazy_rescale = 8
late_sink = any
weight = f32
rounds_weight = no
sum_of_rounded = any
norm_first = any
accumulator = f32
tile = any
rescales = any
renormalises = yes
merge = lse
merge_levels = 1
splits = any
lse_rounds = 5
log_error = 4
divide_error = 3
flushes = yes
truncates = no
out = f32
lse_out = f32
)contract"},
    {"f32-flash.contract", R"contract(# The structure of builtin:flash: tiles of 64 keys, each summed by itself; dot products in 8 lanes; online
# softmax with the running maximum; hidden keys are left out.
contract = f32-flash/1
base = f32-any/1
[semantics]
empty_row = zero
empty_lse = minus_inf
lse_base = e
lse_sink = included
visible_nan = due
[arithmetic]
dot_lanes = 8
scale_side = after
score_rounds = 1
bias_rounds = 0
constant_error = 2
tanh_error = 4
tanh_absolute = no
mask_by = exclusion
shift = exact
lazy_rescale = 0
late_sink = no
norm_first = no
tile = 64
renormalises = no
merge = none
flushes = no
[promises]
deterministic = yes
batch = yes
row = yes
selection = yes
)contract"},
    {"f32-ieee.contract", R"contract(# A careful scalar or SIMD f32 kernel on IEEE hardware: any order of sums, the maximum subtracted exactly,
# one pass or two, divided once at the end, no flushing, libm-quality exp and tanh.
contract = f32-ieee/1
base = f32-any/1
[arithmetic]
scale_side = after
scale_rounds = 2
score_rounds = 1
bias_rounds = 0
constant_error = 2
tanh_error = 4
tanh_absolute = no
mask_by = exclusion
shift = exact
lazy_rescale = 0
late_sink = no
norm_first = no
renormalises = no
merge = none
flushes = no
)contract"},
    {"f64-any.contract", R"contract(# The loosest f64 contract: as f32-any, with every operation in f64.
contract = f64-any/1
format = f64
[semantics]
empty_row = exempt
empty_lse = exempt
lse_base = exempt
lse_sink = exempt
cap_order = cap_then_bias
visible_nan = exempt
[arithmetic]
dot = f64
dot_lanes = any
scale_side = any
scaled = f64
score = f64
scale_rounds = 2
score_rounds = 1
bias_rounds = 2
score_stores = 0
score_store = f64
constant_error = 4
tanh_error = 6
tanh_absolute = yes
alibi_origin = diagonal
mask_by = any
two_scores = no
exp_error = 4
argument_rounds = 2.5
exp_flushes = yes
shift = any
lazy_rescale = 8
late_sink = any
weight = f64
rounds_weight = no
sum_of_rounded = any
norm_first = any
accumulator = f64
tile = any
rescales = any
renormalises = yes
merge = lse
merge_levels = 1
splits = any
lse_rounds = 5
log_error = 4
divide_error = 3
flushes = yes
truncates = no
out = f64
lse_out = f64
)contract"},
    {"f64-ref.contract", R"contract(# A reference in f64: the maximum subtracted exactly, divided once at the end, libm exp and tanh.
contract = f64-ref/1
base = f64-any/1
[arithmetic]
scale_side = after
bias_rounds = 0
constant_error = 2
exp_error = 2
tanh_error = 4
tanh_absolute = no
mask_by = exclusion
shift = exact
lazy_rescale = 0
late_sink = no
norm_first = no
renormalises = no
merge = none
flushes = no
)contract"},
};

}  // namespace

std::span<const EmbeddedContract> embedded_contracts() { return files; }

}  // namespace qkvet::detail
