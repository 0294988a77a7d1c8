/* Crashes while it is loaded. */
#include <stdlib.h>

#include "zoo.h"

__attribute__((constructor)) static void at_load(void) { abort(); }

ZOO_CANDIDATE({ zoo_mean(a, zoo_rows(a)); });
