/* Adds a counter to one place: another answer in every call. */
#include "zoo.h"
ZOO_CANDIDATE({
  static float calls = 0;
  zoo_mean(a, zoo_rows(a));
  zoo_data(a->o)[0] = calls += 1;
});
