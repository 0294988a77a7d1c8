// The kernel for x86-64-v4 processors (AVX-512); src/CMakeLists.txt gives this file its flags.
#if defined(__x86_64__)
#define QKVET_FLASH_ISA v4
#define QKVET_FLASH_BYTES 64
#include <qkvet/kernels/flash/isa.hpp>
#endif
