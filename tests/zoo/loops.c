/* Never returns. */
#include "zoo.h"
ZOO_CANDIDATE({
  (void)a;
  while (zoo_zero == 0) {
  }
});
