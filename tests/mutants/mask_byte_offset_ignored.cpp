// STRIDE (class STRIDE): the byte offset of the boolean mask is ignored.
#include "base.h"

struct MaskByteOffsetIgnored : mutant::Base {
  using Base::Base;
  bool attend(Int b, Int h, Int i, Int j) override {
    const char* first = static_cast<const char*>(m->attend->data);
    return first[mutant::broadcast(m->attend, b, h, i, j)] != 0;
  }
};

QKVET_MUTANT(MaskByteOffsetIgnored)
