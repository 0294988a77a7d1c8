/* Attention on a CPU as a library: one C function. It is the kernel builtin:flash that qkvet itself judges.
 * f64, f32, f16 and bf16 (f16 and bf16 are computed in f32 and rounded once); any extents and strides; every
 * part of a mask; docs/kernel.md. */
#ifndef QKVET_KERNELS_FLASH_H
#define QKVET_KERNELS_FLASH_H

#include <qkvet/candidate/kernel.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One forward pass; candidate/kernel.h says what args hold. args->threads of 0 is one thread, the caller;
 * more come from a pool that stays, and only one call at a time uses them. The bits of a row of outputs
 * depend on its query, keys, values and mask only: not on threads, batch, other rows or strides.
 *
 * isa: the path, "plain", "v3" (AVX2 and FMA) or "v4" (AVX-512); NULL is the environment's QKVET_ISA, else
 * the best that the processor has.
 *
 * Returns QKVET_OK; QKVET_UNSUPPORTED or QKVET_INVALID with the reason in why->message (why may be NULL);
 * QKVET_FAILED if memory is short. */
int qkvet_flash(const qkvet_args* args, const char* isa, qkvet_error* why);

#ifdef __cplusplus
}
#endif

#endif
