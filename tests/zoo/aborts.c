/* Aborts, with a word on stderr. */
#include <stdio.h>
#include <stdlib.h>

#include "zoo.h"
ZOO_CANDIDATE({
  (void)a;
  fprintf(stderr, "assertion \033[1mfailed\033[0m: d_k == 64\n");
  abort();
});
