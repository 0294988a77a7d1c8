/* Writes the element after the output: an off-by-one in the last row. */
#include "zoo.h"
ZOO_CANDIDATE({
  zoo_mean(a, zoo_rows(a));
  zoo_data(a->o)[zoo_zero + zoo_size(a->o)] = 1;
});
