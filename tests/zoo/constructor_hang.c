/* Never finishes loading. */
#include "zoo.h"

__attribute__((constructor)) static void at_load(void) {
  while (zoo_zero == 0) {
  }
}

ZOO_CANDIDATE({ zoo_mean(a, zoo_rows(a)); });
