// Which paths this processor can run.
#include <array>
#include <qkvet/loops/kernels.hpp>

namespace qkvet::loops {

extern const Kernels plain_kernels;
#ifdef QKVET_LOOPS_X86
extern const Kernels avx2_kernels, avx512_kernels;
#endif

std::span<const Kernels* const> available_kernels() {
#ifdef QKVET_LOOPS_X86
  static const std::array<const Kernels*, 3> all = {&plain_kernels, &avx2_kernels,
                                                    &avx512_kernels};
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f");
  return std::span(all).first(avx512 ? 3 : avx2 ? 2 : 1);
#else
  static const std::array<const Kernels*, 1> all = {&plain_kernels};
  return all;
#endif
}

}  // namespace qkvet::loops
