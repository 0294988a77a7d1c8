/* Ends the process with _exit(0), which no handler sees. */
#include <unistd.h>

#include "zoo.h"
ZOO_CANDIDATE({
  (void)a;
  _exit(0);
});
