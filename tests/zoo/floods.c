/* Prints more than any pipe holds. */
#include <stdio.h>

#include "zoo.h"
ZOO_CANDIDATE({
  for (int i = 0; i < 20000; ++i) printf("line %d of far too many\n", i);
  zoo_mean(a, zoo_rows(a));
});
