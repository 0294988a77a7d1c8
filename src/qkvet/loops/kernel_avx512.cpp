// The path for AVX-512F (compiled with -mavx512f). kernels.hpp says why there are three.
#define QKVET_INLINE [[gnu::always_inline]] inline
#define QKVET_LOOPS_KERNELS avx512_kernels
#define QKVET_LOOPS_NAME "avx512"
#include "pack_avx512.ipp"

#include "kernel.ipp"
