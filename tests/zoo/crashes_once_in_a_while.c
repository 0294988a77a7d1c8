/* Crashes in its third call only, whatever the case: a fault that depends on history. */
#include <stdlib.h>

#include "zoo.h"
ZOO_CANDIDATE({
  static int calls = 0;
  if (++calls == 3) abort();
  zoo_mean(a, zoo_rows(a));
});
