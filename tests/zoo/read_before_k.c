/* Reads the key before the first one: a window without a lower bound. */
#include "zoo.h"
ZOO_CANDIDATE({
  zoo_mean(a, zoo_rows(a));
  volatile float before = zoo_data(a->k)[zoo_zero - 1];
  (void)before;
});
