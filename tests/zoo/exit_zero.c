/* Ends the process with exit(0). */
#include <stdlib.h>

#include "zoo.h"
ZOO_CANDIDATE({
  (void)a;
  exit(0);
});
