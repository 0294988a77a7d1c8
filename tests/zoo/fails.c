/* Says that it failed; the message has no end and control characters in it. */
#include <string.h>

#include "zoo.h"

static int zoo_forward(void* self, const qkvet_args* a, qkvet_error* why) {
  (void)self;
  (void)a;
  memset(why->message, 'x', sizeof why->message);
  why->message[0] = '\n';
  return QKVET_FAILED;
}

ZOO_TABLE(sizeof(qkvet_candidate), QKVET_ABI);
