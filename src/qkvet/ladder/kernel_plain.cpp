// The path for every processor. kernels.hpp says why there are three.
#define QKVET_INLINE [[gnu::always_inline]] inline
#define QKVET_LADDER_KERNELS plain_kernels
#define QKVET_LADDER_NAME "plain"
#include "pack_plain.ipp"

#include "kernel.ipp"
