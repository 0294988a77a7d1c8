/* Leaves all signals blocked. */
#include <signal.h>

#include "zoo.h"
ZOO_CANDIDATE({
  sigset_t all;
  zoo_mean(a, zoo_rows(a));
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
});
