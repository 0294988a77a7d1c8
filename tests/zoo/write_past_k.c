/* Pads K in place, beyond its end. */
#include "zoo.h"
ZOO_CANDIDATE({
  zoo_data(a->k)[zoo_zero + zoo_size(a->k)] = 0;
  zoo_mean(a, zoo_rows(a));
});
