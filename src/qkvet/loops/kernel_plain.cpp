// The path for every processor. kernels.hpp says why there are three.
#define QKVET_INLINE [[gnu::always_inline]] inline
#define QKVET_LOOPS_KERNELS plain_kernels
#define QKVET_LOOPS_NAME "plain"
#include "pack_plain.ipp"

#include "kernel.ipp"
