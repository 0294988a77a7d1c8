// SINK (M092, B215, B216): every part adds the sink.
#include "splits.h"

struct SinkInEverySplit : mutant::Splits {
  using Splits::Splits;
  bool has_sink(Int) override { return true; }
};

QKVET_SPLIT_MUTANT(SinkInEverySplit)
