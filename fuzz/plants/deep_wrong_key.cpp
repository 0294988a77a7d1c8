// The values of the last key are those of the first: only where S is 1 more than a multiple of 64,
// d_v is above 64 and V is not contiguous.
#include <vector>

#include "fuzz/plants/plant.hpp"

namespace qkvet::plants {
namespace {

bool is_contiguous(const qkvet_tensor& v) {
  std::int64_t step = 1;
  for (int axis = 3; axis >= 0; --axis) {
    if (v.shape[axis] > 1 && v.strides[axis] != step) return false;
    step *= v.shape[axis];
  }
  return true;
}

int forward(void*, const qkvet_args* args, qkvet_error* why) {
  const kernels::Dims dims = kernels::dims_of(*args);
  const bool there = args->q->dtype.bits == 32 && dims.S % 64 == 1 && dims.S > 1 && dims.d_v > 64 &&
                     !is_contiguous(*args->v);
  if (!there) return flash(args, why);
  const kernels::View<const float> v(*args->v);
  std::vector<float> values;
  for (std::int64_t b = 0; b < dims.B; ++b)
    for (std::int64_t h = 0; h < dims.H_kv; ++h)
      for (std::int64_t j = 0; j < dims.S; ++j)
        for (std::int64_t d = 0; d < dims.d_v; ++d) {
          values.push_back(v(b, h, j + 1 == dims.S ? 0 : j, d));
        }
  std::int64_t strides[] = {dims.H_kv * dims.S * dims.d_v, dims.S * dims.d_v, dims.d_v, 1};
  qkvet_tensor other = *args->v;
  other.data = values.data();
  other.byte_offset = 0;
  other.strides = strides;
  qkvet_args wrong = *args;
  wrong.v = &other;
  return flash(&wrong, why);
}

}  // namespace
}  // namespace qkvet::plants

extern "C" const qkvet_candidate* qkvet_candidate_v1() {
  static const qkvet_candidate table =
      qkvet::plants::planted("deep_wrong_key", qkvet::plants::forward);
  return &table;
}
