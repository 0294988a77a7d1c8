/* Scales Q in place. */
#include "zoo.h"
ZOO_CANDIDATE({
  zoo_data(a->q)[zoo_zero] *= 0.5f;
  zoo_mean(a, zoo_rows(a));
});
