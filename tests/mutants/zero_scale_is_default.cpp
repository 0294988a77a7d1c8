// SCALE (class ARGIGN): a scale of 0 is taken for the default.
#include "base.h"

struct ZeroScaleIsDefault : mutant::Base {
  using Base::Base;
  float scale() override {
    const float root = std::sqrt(static_cast<float>(d_k));
    return std::fabs(Base::scale()) > 0 || d_k == 0 ? Base::scale() : 1.0F / root;
  }
};

QKVET_MUTANT(ZeroScaleIsDefault)
