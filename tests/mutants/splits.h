// The kernel of base.h with the keys in a.num_splits parts of whole tiles, each with an output and
// an LSE of its own, merged at the end. The unmutated one is correct_splits.cpp.
#pragma once

#include "base.h"

namespace mutant {

struct Splits : Base {
  using Base::Base;

  /// What a part leaves behind: its output, normalised, and its LSE.
  struct Part {
    std::vector<float> values;
    float lse = -infinity;
  };
  Int tiles() { return (S + tile - 1) / tile; }
  Int splits() { return std::max<Int>(1, a.num_splits); }
  Int per_split() { return (tiles() + splits() - 1) / splits(); }
  virtual Int first_tile(Int part) { return std::min(part * per_split(), tiles()); }
  virtual Int end_tile(Int part) { return std::min((part + 1) * per_split(), tiles()); }
  virtual bool has_sink(Int part) { return part == 0; }
  /// A part without tiles.
  virtual void leave_out(Part& part) {
    part.values.assign(static_cast<std::size_t>(d_v), 0.0F);
    part.lse = -infinity;
  }
  float sink(Int h) override { return sink_on_ ? Base::sink(h) : -infinity; }

  void row(Int b, Int h, Int i) override {
    bool empty = true;
    workspace().resize(static_cast<std::size_t>(splits()));
    for (Int p = 0; p < splits(); ++p) {
      Part& part = workspace()[static_cast<std::size_t>(p)];
      sink_on_ = has_sink(p);
      if (first_tile(p) >= end_tile(p) && !sink_on_) {
        leave_out(part);
        continue;
      }
      State s;
      begin(s, h);
      for (Int t = first_tile(p); t < end_tile(p); ++t) add_tile(s, b, h, i, t * tile);
      empty = empty && s.empty;
      part.lse = s.sum > 0 || std::isnan(s.sum) ? shift(s.maximum) + std::log(s.sum) : -infinity;
      part.values.resize(static_cast<std::size_t>(d_v));
      for (Int d = 0; d < d_v; ++d) part.values[static_cast<std::size_t>(d)] = output(s, d);
    }
    sink_on_ = true;
    merge(b, h, i, empty);
  }

  void merge(Int b, Int h, Int i, bool empty) {
    State all;
    all.empty = empty;
    all.values.assign(static_cast<std::size_t>(d_v), 0.0F);
    for (const Part& part : workspace()) {
      if (!(part.lse > all.maximum)) continue;
      all.maximum = part.lse;
    }
    for (const Part& part : workspace()) {
      if (part.lse <= -infinity) continue;
      const float weight = std::exp(part.lse - shift(all.maximum));
      all.sum += weight;
      for (std::size_t d = 0; d < all.values.size(); ++d) {
        all.values[d] += weight * part.values[d];
      }
    }
    for (Int d = 0; d < d_v; ++d) store(b, h, i, d, output(all, d));
    if (!a.lse) return;
    const Int* t = a.lse->strides;
    const char* place = at(a.lse, b * t[0] + h * t[1] + i * t[2]);
    const_cast<float&>(*reinterpret_cast<const float*>(place)) = lse(all, h);
  }

 private:
  static std::vector<Part>& workspace() {
    static std::vector<Part> kept;  // as a kernel keeps its workspace between calls
    return kept;
  }
  bool sink_on_ = true;
};

}  // namespace mutant

// What a mutant in parts claims: f32, merged by LSEs, whatever the number of parts.
#define QKVET_SPLIT_MUTANT(Kernel) QKVET_MUTANT_WITH(Kernel, "merge = lse\n", "")
