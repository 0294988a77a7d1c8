/* A contract text that says nothing known. */
#include "zoo.h"

static int zoo_forward(void* self, const qkvet_args* a, qkvet_error* why) {
  (void)self;
  (void)why;
  zoo_mean(a, zoo_rows(a));
  return QKVET_OK;
}

QKVET_EXPORT const qkvet_candidate* qkvet_candidate_v1(void) {
  static const qkvet_candidate table = {sizeof(qkvet_candidate),
                                        QKVET_ABI,
                                        "zoo",
                                        "0",
                                        "contract = x\nflavour = vanilla\n",
                                        0,
                                        zoo_forward,
                                        0};
  return &table;
}
