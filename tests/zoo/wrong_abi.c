/* Speaks another version of the ABI. */
#include "zoo.h"

static int zoo_forward(void* self, const qkvet_args* a, qkvet_error* why) {
  (void)self;
  (void)a;
  (void)why;
  return QKVET_OK;
}

ZOO_TABLE(sizeof(qkvet_candidate), 99);
