/* Answers in the place of the worker, with a sequence number of its own. */
#include <unistd.h>

#include "zoo.h"
ZOO_CANDIDATE({
  const uint64_t sequence = 12345;
  (void)a;
  if (write(3, &sequence, sizeof sequence) < 0) return QKVET_FAILED;
});
