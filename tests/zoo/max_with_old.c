/* Takes the maximum with what lay in the output: NaN hides it, numbers show it. */
#include <math.h>

#include "zoo.h"

ZOO_CANDIDATE({
  static float old[4096];
  float* o = zoo_data(a->o);
  const int64_t n = zoo_size(a->o);
  for (int64_t i = 0; i < n; ++i) old[i] = o[i];
  zoo_mean(a, zoo_rows(a));
  for (int64_t i = 0; i < n; ++i) o[i] = fmaxf(old[i], o[i]);
});
