// The path for AVX2 and FMA (compiled with -mavx2 -mfma). kernels.hpp says why there are three.
#define QKVET_INLINE [[gnu::always_inline]] inline
#define QKVET_LOOPS_KERNELS avx2_kernels
#define QKVET_LOOPS_NAME "avx2"
#include "pack_avx2.ipp"

#include "kernel.ipp"
