/* Needs a function that nobody has. */
#include "zoo.h"

int zoo_nowhere(void);

ZOO_CANDIDATE({
  (void)a;
  if (zoo_nowhere() != 0) return QKVET_FAILED;
});
