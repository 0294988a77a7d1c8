// A row that the key range and the boolean mask empty only together divides 0 by 0: with a softcap,
// on the path of plant.hpp.
#include <limits>

#include "fuzz/plants/plant.hpp"

namespace qkvet::plants {
namespace {

bool shows_some(const qkvet_tensor& attend, std::int64_t b, std::int64_t h, std::int64_t i,
                std::int64_t S) {
  const auto at = [&](int axis, std::int64_t n) {
    return attend.shape[axis] == 1 ? 0 : n * attend.strides[axis];
  };
  const auto* base = reinterpret_cast<const std::uint8_t*>(kernels::base_of(attend));
  for (std::int64_t j = 0; j < S; ++j) {
    if (base[at(0, b) + at(1, h) + at(2, i) + at(3, j)] != 0) return true;
  }
  return false;
}

bool sees_a_key(const qkvet_args& args, std::int64_t b, std::int64_t h, std::int64_t i,
                std::int64_t S) {
  const kernels::RowMask mask(args, b, h, i);
  for (std::int64_t j = 0; j < S; ++j) {
    if (mask.visible(j)) return true;
  }
  return false;
}

void spoil(const qkvet_args& args) {
  const kernels::Dims dims = kernels::dims_of(args);
  const kernels::View<float> o(*args.o);
  each_row(args, [&](std::int64_t b, std::int64_t h, std::int64_t i) {
    if (args.mask->key_start[b] >= args.mask->key_end[b]) return;
    if (!shows_some(*args.mask->attend, b, h, i, dims.S)) return;
    if (sees_a_key(args, b, h, i, dims.S)) return;
    for (std::int64_t d = 0; d < dims.d_v; ++d) {
      o(b, h, i, d) = std::numeric_limits<float>::quiet_NaN();
    }
  });
}

int forward(void*, const qkvet_args* args, qkvet_error* why) {
  const int status = flash(args, why);
  if (status != QKVET_OK || !on_the_path(*args)) return status;
  if (!(args->softcap > 0)) return status;
  spoil(*args);
  return status;
}

}  // namespace
}  // namespace qkvet::plants

extern "C" const qkvet_candidate* qkvet_candidate_v1() {
  static const qkvet_candidate table =
      qkvet::plants::planted("nan_of_two_masks", qkvet::plants::forward);
  return &table;
}
