/* Sends itself the signal, without any fault in memory. */
#include <signal.h>

#include "zoo.h"
ZOO_CANDIDATE({
  (void)a;
  raise(SIGSEGV);
});
