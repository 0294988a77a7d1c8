/* Writes nothing and says that all is well. */
#include "zoo.h"
ZOO_CANDIDATE({ (void)a; });
