/* Reads a whole tile of V although fewer keys are left, a page beyond its end. */
#include "zoo.h"
ZOO_CANDIDATE({
  zoo_mean(a, zoo_rows(a));
  volatile float beyond = zoo_data(a->v)[zoo_zero + zoo_size(a->v)];
  (void)beyond;
});
