/* Reads heap memory that it never wrote, and hopes for zeros. */
#include <stdlib.h>

#include "zoo.h"
ZOO_CANDIDATE({
  float* scratch = malloc(64 * sizeof(float));
  zoo_mean(a, zoo_rows(a));
  zoo_data(a->o)[0] += ((volatile float*)scratch)[7 + zoo_zero];
  free(scratch);
});
