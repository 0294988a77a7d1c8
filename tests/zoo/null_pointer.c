/* Follows a null pointer. */
#include "zoo.h"
ZOO_CANDIDATE({
  float* volatile nothing = NULL;
  zoo_data(a->o)[0] = *nothing;
});
