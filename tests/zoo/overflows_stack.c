/* Recurses without end. */
#include "zoo.h"
static int64_t dig(const volatile int64_t* above) {
  volatile int64_t here[512];
  here[0] = *above + 1;
  return here[0] == 0 ? 0 : dig(here) + here[1];
}
ZOO_CANDIDATE({
  (void)a;
  const volatile int64_t start = zoo_zero;
  if (dig(&start) == 0) return QKVET_FAILED;
});
