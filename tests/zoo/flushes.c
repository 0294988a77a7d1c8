/* Leaves flush to zero behind. */
#include <xmmintrin.h>

#include "zoo.h"
ZOO_CANDIDATE({
  zoo_mean(a, zoo_rows(a));
  _mm_setcsr(_mm_getcsr() | 0x8040u);
});
