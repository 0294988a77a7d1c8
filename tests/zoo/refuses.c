/* Refuses everything, cleanly, before it is called. */
#include <string.h>

#include "zoo.h"

static int zoo_supports(void* self, const qkvet_args* a, qkvet_error* why) {
  (void)self;
  (void)a;
  strcpy(why->message, "only d_k = 12345");
  return QKVET_UNSUPPORTED;
}

static int zoo_forward(void* self, const qkvet_args* a, qkvet_error* why) {
  (void)self;
  (void)a;
  (void)why;
  return QKVET_FAILED;
}

QKVET_EXPORT const qkvet_candidate* qkvet_candidate_v1(void) {
  static const qkvet_candidate table = {
      sizeof(qkvet_candidate), QKVET_ABI, "zoo", "0", 0, zoo_supports, zoo_forward, 0};
  return &table;
}
