/* The C ABI between qkvet and a candidate attention kernel: pure C99, no library to link.
 *
 * A candidate exports one symbol, qkvet_candidate_v1, that returns a table; QKVET_CANDIDATE wraps a plain
 * function. Every struct begins with its size; fields are only ever appended. Extents and strides are
 * int64_t, strides in elements. Inputs are const; outputs are allocated (and poisoned) by the caller.
 * Never throw, exit or longjmp across this border. */
#ifndef QKVET_CANDIDATE_KERNEL_H
#define QKVET_CANDIDATE_KERNEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define QKVET_EXPORT __declspec(dllexport)
#else
#define QKVET_EXPORT __attribute__((visibility("default")))
#endif

/* DLPack's DLDataType: code 0 int, 1 uint, 2 float, 4 bfloat, 6 bool. */
typedef struct {
  uint8_t code, bits;
  uint16_t lanes;
} qkvet_dtype;

enum { QKVET_INT = 0, QKVET_UINT = 1, QKVET_FLOAT = 2, QKVET_BFLOAT = 4, QKVET_BOOL = 6 };

/* Laid out like DLPack's DLTensor. Element (a, b, ...) is at
 * (char*)data + byte_offset + (a * strides[0] + b * strides[1] + ...) * bits / 8. */
typedef struct {
  void* data;
  int32_t device_type, device_id;
  int32_t ndim;
  qkvet_dtype dtype;
  int64_t* shape;
  int64_t* strides; /* never NULL here; 0 repeats */
  uint64_t byte_offset;
} qkvet_tensor;

/* The parts of a mask, combined by AND. Query i of batch entry b has its diagonal at key
 * i + diagonal_offset[b]: causal shows j <= diagonal, a window shows
 * diagonal - window_left <= j <= diagonal + window_right. */
enum {
  QKVET_DIAGONAL_TOP_LEFT = 0,     /* every offset is 0 */
  QKVET_DIAGONAL_BOTTOM_RIGHT = 1, /* offset = end of the entry's key range - L */
  QKVET_DIAGONAL_FIXED = 2         /* any other offset */
};

typedef struct {
  uint32_t struct_size;
  int32_t causal;                 /* 0 or 1 */
  int32_t diagonal_kind;          /* how the offsets below came about */
  const int64_t* diagonal_offset; /* [B], resolved numbers, never NULL */
  int64_t window_left, window_right; /* -1 = no limit on that side */
  const int64_t *key_start, *key_end; /* [B]; both NULL = all S keys */
  const qkvet_tensor* attend;     /* [B|1,H_q|1,L|1,S|1] bool, nonzero = attend; NULL = none. Extents of 1 broadcast */
  const qkvet_tensor* bias;       /* [B|1,H_q|1,L|1,S|1] added to the scores, -inf hides; NULL = none */
} qkvet_mask;

enum {
  QKVET_DEFAULT_SCALE = 1u /* args.scale is the default 1/sqrt(d_k), rounded once to double */
};

typedef struct {
  uint32_t struct_size, flags;
  const qkvet_tensor *q, *k, *v; /* logical axes [B,H_q,L,d_k], [B,H_kv,S,d_k], [B,H_kv,S,d_v] */
  qkvet_tensor *o, *lse;         /* [B,H_q,L,d_v], [B,H_q,L]; lse may be NULL */
  double scale, softcap;         /* softcap 0 = none */
  int32_t threads;               /* wanted number of threads, 0 = the candidate's choice */
  const qkvet_mask* mask;        /* NULL = no mask at all; ALiBi then measures from a diagonal of offset 0 */
  const qkvet_tensor *alibi_slopes, *sinks; /* [H_q] each, or NULL */
  int32_t num_splits;            /* 0 = the candidate's choice */
} qkvet_args;

/* Returned by forward and supports. QKVET_UNSUPPORTED and QKVET_INVALID are clean refusals. */
enum { QKVET_OK = 0, QKVET_UNSUPPORTED = 1, QKVET_INVALID = 2, QKVET_FAILED = 3 };

typedef struct {
  char message[256]; /* why, NUL-terminated; written by the candidate */
} qkvet_error;

typedef struct {
  uint32_t struct_size, abi; /* sizeof(qkvet_candidate), QKVET_ABI */
  const char *name, *version;
  const char* contract; /* contract text (docs/contract.md), or NULL: then the loosest is assumed */
  int (*supports)(void* self, const qkvet_args* args, qkvet_error* why); /* may be NULL */
  int (*forward)(void* self, const qkvet_args* args, qkvet_error* why);
  void* self;
} qkvet_candidate;

#define QKVET_ABI 1u

typedef const qkvet_candidate* (*qkvet_candidate_fn)(void);

/* The one exported symbol. */
QKVET_EXPORT const qkvet_candidate* qkvet_candidate_v1(void);

/* Wraps
 *   int fn(int64_t B, int64_t H, int64_t L, int64_t S, int64_t d_k, int64_t d_v, const float* q,
 *          const float* k, const float* v, float scale, int causal, float* o);
 * on plain contiguous f32 tensors (q [B,H,L,d_k], k [B,H,S,d_k], v [B,H,S,d_v], o [B,H,L,d_v]); causal is
 * 0 or 1 with the diagonal at the top left (key j is visible to query i iff j <= i). It returns
 * QKVET_OK, or QKVET_UNSUPPORTED to refuse. The limits declared below say just that. */
#define QKVET_SIMPLE_CONTRACT                                                                      \
  "contract = simple-f32\nbase = f32-any/1\n[limits]\nformats = f32\ngrouped = never\nstrided = never\n" \
  "diagonals = tl\nwindow = never\nkey_range = never\nbool_mask = never\nbias = never\n"            \
  "softcap = never\nsinks = never\nalibi = never\nlse = never\n"

#define QKVET_CANDIDATE(fn)                                                                        \
  static int qkvet_forward_##fn(void* self, const qkvet_args* a, qkvet_error* why) {               \
    (void)self;                                                                                    \
    (void)why;                                                                                     \
    return fn(a->q->shape[0], a->q->shape[1], a->q->shape[2], a->k->shape[2], a->q->shape[3],      \
              a->v->shape[3], (const float*)((const char*)a->q->data + a->q->byte_offset),         \
              (const float*)((const char*)a->k->data + a->k->byte_offset),                         \
              (const float*)((const char*)a->v->data + a->v->byte_offset), (float)a->scale,        \
              a->mask != 0 && a->mask->causal, (float*)((char*)a->o->data + a->o->byte_offset));   \
  }                                                                                                \
  QKVET_EXPORT const qkvet_candidate* qkvet_candidate_v1(void) {                                   \
    static const qkvet_candidate table = {sizeof(qkvet_candidate), QKVET_ABI, #fn, "0",            \
                                          QKVET_SIMPLE_CONTRACT, 0, qkvet_forward_##fn, 0};        \
    return &table;                                                                                 \
  }                                                                                                \
  typedef int qkvet_candidate_needs_semicolon_##fn

#ifdef __cplusplus
}
#endif

#endif
