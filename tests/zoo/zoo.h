/* What the misbehaving candidates share: a right answer for V (the mean of V over all keys, which
 * is attention with q = 0), so that each of them has exactly one fault. Contiguous f32 only. */
#ifndef QKVET_TESTS_ZOO_H
#define QKVET_TESTS_ZOO_H

#include <qkvet/candidate/kernel.h>
#include <stddef.h>

static inline float* zoo_data(const qkvet_tensor* t) { return (float*)((char*)t->data + t->byte_offset); }

static inline int64_t zoo_size(const qkvet_tensor* t) {
  int64_t n = 1;
  for (int axis = 0; axis < t->ndim; ++axis) n *= t->shape[axis];
  return n;
}

/* Writes the mean over the keys of V in every row of o, rows [0, rows) only. */
static inline void zoo_mean(const qkvet_args* a, int64_t rows) {
  const int64_t S = a->v->shape[2], d = a->v->shape[3];
  const float* v = zoo_data(a->v);
  float* o = zoo_data(a->o);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t c = 0; c < d; ++c) {
      float sum = 0;
      for (int64_t j = 0; j < S; ++j) sum += v[j * d + c];
      o[i * d + c] = sum / (float)S;
    }
  }
}

static inline int64_t zoo_rows(const qkvet_args* a) { return a->o->shape[2]; }

/* The table around a function that is given the arguments. */
#define ZOO_CANDIDATE(...)                                                    \
  static int zoo_forward(void* self, const qkvet_args* a, qkvet_error* why) { \
    (void)self;                                                               \
    (void)why;                                                                \
    __VA_ARGS__ return QKVET_OK;                                              \
  }                                                                           \
  ZOO_TABLE(sizeof(qkvet_candidate), QKVET_ABI)

#define ZOO_TABLE(size, version)                                                            \
  QKVET_EXPORT const qkvet_candidate* qkvet_candidate_v1(void) {                            \
    static const qkvet_candidate table = {size, version, "zoo", "0", 0, 0, zoo_forward, 0}; \
    return &table;                                                                          \
  }                                                                                         \
  typedef int zoo_needs_semicolon

/* Keeps the compiler from proving (and deleting) the misbehaviour. */
static volatile int64_t zoo_zero = 0;

#endif
