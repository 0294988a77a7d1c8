/* No fault at all: the control. */
#include "zoo.h"
ZOO_CANDIDATE({ zoo_mean(a, zoo_rows(a)); });
