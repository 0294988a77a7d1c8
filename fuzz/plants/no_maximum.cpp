// The maximum is not subtracted before exp: with sinks and without a softcap, on the path of
// plant.hpp.
#include <cmath>

#include "fuzz/plants/plant.hpp"

namespace qkvet::plants {
namespace {

void spoil(const qkvet_args& args) {
  const kernels::Dims dims = kernels::dims_of(args);
  const kernels::View<const float> v(*args.v);
  const kernels::View<float> o(*args.o);
  each_row(args, [&](std::int64_t b, std::int64_t h, std::int64_t i) {
    const kernels::RowMask mask(args, b, h, i);
    bool any = false;
    float sum = std::exp(static_cast<float>(kernels::sink_of(args, h)));
    for (std::int64_t j = 0; j < dims.S; ++j) {
      if (mask.visible(j)) sum += std::exp(score(args, mask, b, h, i, j)), any = true;
    }
    for (std::int64_t d = 0; any && d < dims.d_v; ++d) {
      float values = 0;
      for (std::int64_t j = 0; j < dims.S; ++j) {
        if (!mask.visible(j)) continue;
        values += std::exp(score(args, mask, b, h, i, j)) * v(b, h / (dims.H_q / dims.H_kv), j, d);
      }
      o(b, h, i, d) = values / sum;
    }
  });
}

int forward(void*, const qkvet_args* args, qkvet_error* why) {
  const int status = flash(args, why);
  if (status != QKVET_OK || !on_the_path(*args)) return status;
  if (args->softcap > 0) return status;
  if (args->sinks == nullptr) return status;
  spoil(*args);
  return status;
}

}  // namespace
}  // namespace qkvet::plants

extern "C" const qkvet_candidate* qkvet_candidate_v1() {
  static const qkvet_candidate table = qkvet::plants::planted("no_maximum", qkvet::plants::forward);
  return &table;
}
