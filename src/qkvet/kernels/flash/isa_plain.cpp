// The kernel for every processor: what the compiler's own target has (SSE2, NEON), 16 bytes.
#define QKVET_FLASH_ISA plain
#define QKVET_FLASH_BYTES 16
#include <qkvet/kernels/flash/isa.hpp>
