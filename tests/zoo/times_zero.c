/* Adds 0 times what lay in the output (the beta = 0 bug of BLAS callers). */
#include "zoo.h"
ZOO_CANDIDATE({
  float* o = zoo_data(a->o);
  const float old = o[zoo_zero];
  zoo_mean(a, zoo_rows(a));
  o[zoo_zero] += (float)zoo_zero * old;
});
