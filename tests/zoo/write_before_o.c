/* Writes the element before the output. */
#include "zoo.h"
ZOO_CANDIDATE({
  zoo_mean(a, zoo_rows(a));
  zoo_data(a->o)[zoo_zero - 1] = 1;
});
