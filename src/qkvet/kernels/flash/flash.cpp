// builtin:flash: what it promises, which path it takes, and how a call is cut into units of work.
#include <qkvet/kernels/flash.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <new>
#include <qkvet/kernels/flash/job.hpp>
#include <qkvet/kernels/flash/pool.hpp>
#include <string_view>

namespace qkvet::kernels {
namespace fast {
#if defined(__x86_64__)
namespace v3 {
extern const Path path;
}
namespace v4 {
extern const Path path;
}
#endif
namespace plain {
extern const Path path;
}

namespace {

/// All paths that this processor can run, the best one last.
struct Paths {
  std::array<const Path*, 3> path{&plain::path};
  std::array<std::string_view, 3> name{"plain"};
  std::size_t count = 1;

  Paths() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("x86-64-v3")) add(v3::path);
    if (__builtin_cpu_supports("x86-64-v4")) add(v4::path);
#endif
  }
  void add(const Path& more) {
    path[count] = &more;
    name[count++] = more.name;
  }
};
const Paths& paths() {
  static const Paths all;
  return all;
}

/// Where the rows of all query heads of a key head fit into one tile, they share it: its keys are then
/// read once.
void cut(Job& job, const Path& path, std::int64_t threads) {
  const Dims& d = job.dims;
  const std::int64_t lanes = path.lanes(job.stored), group = d.H_kv > 0 ? d.H_q / d.H_kv : 1;
  job.flat = group > 1 && d.L * group <= lanes;
  job.heads = job.flat ? d.H_kv : d.H_q;
  job.rows = job.flat ? d.L * group : d.L;
  job.tiles = (job.rows + lanes - 1) / lanes;
  job.tile_rows = job.tiles > 0 ? (job.rows + job.tiles - 1) / job.tiles : 0;
  job.parts = std::max<std::int64_t>(1, (d.S + part_keys - 1) / part_keys);
  job.units_of_tile = 1;
  const bool idle = d.B * job.heads * job.tiles < 2 * threads;
  if (threads > 1 && idle) job.units_of_tile = job.parts;
}

struct Call {
  const Job& job;
  const Path& path;
};
void run_unit(const void* call, std::int64_t unit, char* scratch) {
  const auto* own = static_cast<const Call*>(call);
  own->path.run(own->job, unit, scratch);
}
void merge_tile(const void* call, std::int64_t tile, char* scratch) {
  const auto* own = static_cast<const Call*>(call);
  own->path.merge(own->job, tile, scratch);
}

/// False without memory.
bool attend(const qkvet_args& args, const Path& path) {
  Job job{};
  job.args = &args;
  job.dims = dims_of(args);
  job.stored = number_of(args.q->dtype);
  job.scale = scale_of(args);
  const std::int64_t threads = std::max(1, args.threads);
  cut(job, path, threads);
  const std::int64_t tiles = job.dims.B * job.heads * job.tiles;
  std::unique_ptr<char[]> partials;
  if (job.units_of_tile > 1) {
    const std::int64_t bytes = tiles * job.parts * path.partial_bytes(job);
    partials.reset(new (std::nothrow) char[static_cast<std::size_t>(bytes)]);
    job.partials = partials.get();
    if (partials == nullptr) job.units_of_tile = 1;
  }
  const Call call{job, path};
  const std::int64_t scratch = path.scratch_bytes(job);
  if (!run_in_pool(threads, tiles * job.units_of_tile, scratch, run_unit, &call)) return false;
  return job.units_of_tile == 1 || run_in_pool(1, tiles, scratch, merge_tile, &call);
}

int forward(void* /*self*/, const qkvet_args* args, qkvet_error* why) {
  return qkvet_flash(args, nullptr, why);
}

// Rows, batches and columns never meet and tiles lie at multiples of block_keys whatever the mask; hidden
// keys are left out. A key or channel put in the middle moves its neighbours to other tiles and lanes,
// so the bits of padding and channels are not promised.
#define QKVET_FLASH_MEANING                                                                   \
  "[semantics]\nempty_row = zero\nempty_lse = minus_inf\nlse_base = e\nlse_sink = included\n" \
  "cap_order = cap_then_bias\nvisible_nan = due\n"
#define QKVET_FLASH_PROMISES                                                                  \
  "[promises]\ndeterministic = yes\nbatch = yes\nrow = yes\ncolumns = yes\ngroups = yes\n"    \
  "layout = yes\nthreads = yes\nsplits = yes\nselection = yes\nmask_forms = yes\n"            \
  "symmetric = yes\nexact_one = yes\nweights_from_scores = yes\n"
// A dot product is one chain. The merges of parts are of (maximum, sum, values), which are rescales: a
// row of n tiles has fewer than n of both together. The constant scale * log2 e is folded into the
// queries, log2 e into biases.
#define QKVET_FLASH_ARITHMETIC                                                               \
  "[arithmetic]\nscale_side = q\nscore_rounds = 1\nbias_rounds = 1\nconstant_error = 1\n"     \
  "exp_error = 2\nargument_rounds = 1\ntanh_error = 6\ntanh_absolute = no\n"                  \
  "mask_by = exclusion\nshift = exact\nlazy_rescale = 0\nlate_sink = no\nnorm_first = no\n"   \
  "tile = 128\nrenormalises = no\nmerge = none\nflushes = no\n"
#define QKVET_FLASH_LOW "weight = f32\nrounds_weight = no\n"

constexpr const char* contract_text =
    "contract = flash\nbase = f32-ieee/1\n" QKVET_FLASH_MEANING QKVET_FLASH_ARITHMETIC
    "[limits]\nformats = f32\n" QKVET_FLASH_PROMISES
    "contract = flash-bf16\nbase = bf16-fused/1\n" QKVET_FLASH_MEANING QKVET_FLASH_ARITHMETIC
        QKVET_FLASH_LOW "[limits]\nformats = bf16\n" QKVET_FLASH_PROMISES
    "contract = flash-f16\nbase = f16-fused/1\n" QKVET_FLASH_MEANING QKVET_FLASH_ARITHMETIC
        QKVET_FLASH_LOW "[limits]\nformats = f16\n" QKVET_FLASH_PROMISES
    "contract = flash-f64\nbase = f64-any/1\n" QKVET_FLASH_MEANING QKVET_FLASH_ARITHMETIC
    "[limits]\nformats = f64\n" QKVET_FLASH_PROMISES;

}  // namespace

const Path* path_named(const char* name) {
  if (name == nullptr) name = std::getenv("QKVET_ISA");
  const Paths& all = paths();
  if (name == nullptr) return all.path[all.count - 1];
  for (std::size_t n = 0; n < all.count; ++n) {
    if (all.name[n] == name) return all.path[n];
  }
  return nullptr;
}

}  // namespace fast

const qkvet_candidate& flash() {
  static constexpr qkvet_candidate table{sizeof(qkvet_candidate), QKVET_ABI, "flash", "2",
                                         fast::contract_text,     nullptr,   fast::forward,
                                         nullptr};
  return table;
}

std::span<const std::string_view> flash_paths() {
  return {fast::paths().name.data(), fast::paths().count};
}

}  // namespace qkvet::kernels

extern "C" int qkvet_flash(const qkvet_args* args, const char* isa, qkvet_error* why) {
  using namespace qkvet::kernels;
  const fast::Path* path = fast::path_named(isa);
  if (path == nullptr) {
    return refuse(QKVET_INVALID,
                  "no such path, or not on this processor (QKVET_ISA or isa: plain, v3 or v4)", why);
  }
  for (const qkvet_dtype stored : {f64, f32, f16, bf16}) {
    if (!same(args->q->dtype, stored)) continue;
    const int status = accept(*args, stored, why);
    if (status != QKVET_OK || fast::attend(*args, *path)) return status;
    return refuse(QKVET_FAILED, "out of memory", why);
  }
  return refuse(QKVET_UNSUPPORTED, "q must be f64, f32, f16 or bf16", why);
}
