// Refuses compiler settings under which floating point is not what it says: included by every header
// whose inline arithmetic a proof rests on. (Clang announces -ffast-math and -ffinite-math-only only;
// what its parts alone would break, the digests of docs/harness.md notice.)
#pragma once

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0) || \
    defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || defined(__NO_SIGNED_ZEROS__)
#error "qkvet judges floating point: build it without -ffast-math, -ffinite-math-only, \
-funsafe-math-optimizations and the like"
#endif
#if defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ != 0
#error "qkvet judges floating point: build it for arithmetic in its own formats (-msse2 -mfpmath=sse)"
#endif
