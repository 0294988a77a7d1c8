// The kernel for x86-64-v3 processors (AVX2); src/CMakeLists.txt gives this file its flags.
#if defined(__x86_64__)
#define QKVET_FLASH_ISA v3
#define QKVET_FLASH_BYTES 32
#include <qkvet/kernels/flash/isa.hpp>
#endif
