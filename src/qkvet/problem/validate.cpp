// The invariants of a Problem, checked once at the border: every message names the field, its
// value, the limit and a hint. Sizes are checked before anything that depends on them.
#include <algorithm>
#include <cmath>
#include <qkvet/num/error.hpp>
#include <qkvet/problem/problem.hpp>
#include <string>
#include <utility>

namespace qkvet {
namespace {

using Extents = std::array<std::int64_t, 4>;

constexpr std::int64_t max_elements = std::int64_t{1} << 28;
constexpr std::int64_t max_span = std::int64_t{1} << 32;  // mapped lazily: few pages are touched
constexpr std::int64_t max_offset = std::int64_t{1} << 40;  // i + offset + window never overflows
constexpr std::int64_t max_shift = 4096;

[[noreturn]] void bad(const std::string& field, const std::string& value, const std::string& limit,
                      const std::string& hint) {
  throw InputError(ExitCode::bad_data,
                   "bad problem: " + field + " is " + value + ", " + limit + " (" + hint + ")");
}

std::string text(const Extents& extents) {
  std::string out = "[";
  for (std::size_t axis = 0; axis < 4; ++axis) {
    out += (axis == 0 ? "" : ",") + std::to_string(extents[axis]);
  }
  return out + "]";
}

/// Zero extents count as one, so that strides never overflow either.
void check_size(const char* name, const Extents& extents) {
  std::int64_t size = 1;
  for (std::int64_t extent : extents) {
    const std::int64_t factor = std::max<std::int64_t>(extent, 1);
    if (factor > max_elements / size) {
      bad(std::string("size of ") + name, text(extents), "at most 2^28 elements a tensor",
          "make an extent smaller");
    }
    size *= factor;
  }
}

void check_extent(const char* name, std::int64_t value) {
  if (value < 0 || value > max_elements) {
    bad(name, std::to_string(value), "allowed are 0 to 2^28", "extents are counts");
  }
}

void check_tensor(const char* name, const Tensor& tensor, const Extents& extents) {
  if (tensor.extents != extents) {
    bad(std::string("extents of ") + name, text(tensor.extents), "due are " + text(extents),
        "they follow from the shape");
  }
  if (tensor.bits.size() != static_cast<std::size_t>(tensor.size())) {
    bad(std::string("number of values of ") + name, std::to_string(tensor.bits.size()),
        "due are " + std::to_string(tensor.size()), "one value per place");
  }
  const int width = 8 * info(tensor.format).bytes;
  if (width == 64) return;
  for (std::uint64_t bits : tensor.bits) {
    if ((bits >> width) != 0) {
      bad(std::string("a value of ") + name, std::to_string(bits),
          "an encoding of " + std::string(info(tensor.format).name) + " has " +
              std::to_string(width) + " bits",
          "encode it in the tensor's format");
    }
  }
}

Extents broadcast_extents(const char* name, const Extents& extents, const Shape& shape) {
  const Extents full{shape.B, shape.H_q, shape.L, shape.S};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    if (extents[axis] != 1 && extents[axis] != full[axis]) {
      bad(std::string("extents of ") + name, text(extents), "each is 1 or that of " + text(full),
          "axes are B, H_q, L, S; 1 broadcasts");
    }
  }
  return extents;
}

/// Memory axes from the smallest stride up never reach into each other: all places are distinct.
bool places_distinct(const Extents& extents, const Extents& strides) {
  std::array<std::pair<std::int64_t, std::int64_t>, 4> axes;
  for (std::size_t axis = 0; axis < 4; ++axis) axes[axis] = {strides[axis], extents[axis]};
  std::sort(axes.begin(), axes.end());
  std::int64_t reach = 0;
  for (const auto& [stride, extent] : axes) {
    if (extent == 0) return true;
    if (extent == 1) continue;
    if (stride <= reach) return false;
    reach += (extent - 1) * stride;
  }
  return true;
}

void check_strides(const std::string& field, const Extents& extents, const Extents& strides) {
  std::int64_t span = 0;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    if (strides[axis] < 0 || strides[axis] > max_span) {
      bad("strides of " + field, text(strides), "allowed are 0 to 2^32", "strides are in elements");
    }
    span += std::max<std::int64_t>(extents[axis] - 1, 0) * strides[axis];  // 2^28 * 2^32 at most
    if (span >= max_span) {
      bad("strides of " + field, text(strides), "the span must stay below 2^32 elements",
          "smaller strides");
    }
  }
}

/// Places that share memory must hold the same bits.
template <class Value>
void check_agreement(const std::string& field, const Extents& extents, const Extents& strides,
                     const std::vector<Value>& values) {
  std::vector<std::pair<std::int64_t, Value>> places;
  places.reserve(values.size());
  std::size_t n = 0;
  for (std::int64_t a = 0; a < extents[0]; ++a)
    for (std::int64_t b = 0; b < extents[1]; ++b)
      for (std::int64_t c = 0; c < extents[2]; ++c)
        for (std::int64_t d = 0; d < extents[3]; ++d)
          places.emplace_back(a * strides[0] + b * strides[1] + c * strides[2] + d * strides[3],
                              values[n++]);
  std::sort(places.begin(), places.end());
  for (std::size_t at = 1; at < places.size(); ++at) {
    if (places[at].first == places[at - 1].first && places[at].second != places[at - 1].second) {
      bad("strides of " + field, text(strides), "places that share memory must hold equal values",
          "stride 0 only along an axis of equal values");
    }
  }
}

void check_shift(const std::string& field, const Layout& layout) {
  if (layout.shift < 0 || layout.shift > max_shift) {
    bad("shift of " + field, std::to_string(layout.shift), "allowed are 0 to 4096",
        "it counts elements");
  }
}

template <class Value>
void check_input_layout(const std::string& field, const Layout& layout, const Extents& extents,
                        const std::vector<Value>& values) {
  check_shift(field, layout);
  if (!layout.strides) return;
  check_strides(field, extents, *layout.strides);
  if (!places_distinct(extents, *layout.strides)) {
    check_agreement(field, extents, *layout.strides, values);
  }
}

void check_output_layout(const std::string& field, const Layout& layout, const Extents& extents) {
  check_shift(field, layout);
  if (!layout.strides) return;
  check_strides(field, extents, *layout.strides);
  if (!places_distinct(extents, *layout.strides)) {
    bad("strides of " + field, text(*layout.strides), "places of an output must not overlap",
        "each stride beyond the reach of the smaller ones");
  }
}

void check_absent_layout(const std::string& field, const Layout& layout) {
  if (layout == Layout{}) return;
  bad("layout of " + field, "given", "the problem has no " + field, "remove the layout");
}

void check_layouts(const Problem& p) {
  check_input_layout("q", p.layouts.q, p.q.extents, p.q.bits);
  check_input_layout("k", p.layouts.k, p.k.extents, p.k.bits);
  check_input_layout("v", p.layouts.v, p.v.extents, p.v.bits);
  check_output_layout("o", p.layouts.o, {p.shape.B, p.shape.H_q, p.shape.L, p.shape.d_v});
  if (p.want_lse) {
    check_output_layout("lse", p.layouts.lse, {p.shape.B, p.shape.H_q, p.shape.L, 1});
  } else {
    check_absent_layout("lse", p.layouts.lse);
  }
  if (p.mask.attend) {
    check_input_layout("mask", p.layouts.attend, p.mask.attend->extents, p.mask.attend->attend);
  } else {
    check_absent_layout("mask", p.layouts.attend);
  }
  if (p.mask.bias) {
    check_input_layout("bias", p.layouts.bias, p.mask.bias->extents, p.mask.bias->bits);
  } else {
    check_absent_layout("bias", p.layouts.bias);
  }
}

void check_diagonal(const Problem& p) {
  const Diagonal& diagonal = p.mask.diagonal;
  const auto count = static_cast<std::int64_t>(diagonal.offsets.size());
  if (diagonal.kind != Diagonal::Kind::fixed) {
    if (count != 0) {
      bad("offsets of the diagonal", std::to_string(count) + " numbers",
          "only a fixed diagonal has offsets", "kind fixed, or no offsets");
    }
  } else if (count != 1 && count != p.shape.B) {
    bad("offsets of the diagonal", std::to_string(count) + " numbers",
        "due are 1 or B = " + std::to_string(p.shape.B), "one for all entries or one each");
  }
  for (std::int64_t offset : diagonal.offsets) {
    if (offset < -max_offset || offset > max_offset) {
      bad("offset of the diagonal", std::to_string(offset), "allowed are -2^40 to 2^40",
          "it counts keys");
    }
  }
}

void check_window(const MaskSpec& mask) {
  if (!mask.window) return;
  for (const auto& side : {mask.window->left, mask.window->right}) {
    if (side && (*side < 0 || *side > max_offset)) {
      bad("window", std::to_string(*side), "allowed are 0 to 2^40, or no limit", "it counts keys");
    }
  }
}

void check_key_range(const Problem& p) {
  if (!p.mask.key_range) return;
  const KeyRange& range = *p.mask.key_range;
  const auto due = static_cast<std::size_t>(p.shape.B);
  if (range.start.size() != due || range.end.size() != due) {
    bad("key range", std::to_string(range.start.size()) + " entries",
        "due are B = " + std::to_string(due), "one start and end per batch entry");
  }
  for (std::size_t b = 0; b < due; ++b) {
    if (!(0 <= range.start[b] && range.start[b] <= range.end[b] && range.end[b] <= p.shape.S)) {
      bad("key range of batch entry " + std::to_string(b),
          std::to_string(range.start[b]) + "-" + std::to_string(range.end[b]),
          "due is 0 <= start <= end <= S = " + std::to_string(p.shape.S), "end is exclusive");
    }
  }
}

void check_mask(const Problem& p) {
  check_diagonal(p);
  check_window(p.mask);
  check_key_range(p);
  if (p.mask.attend) {
    const BoolMask& mask = *p.mask.attend;
    const Extents e = broadcast_extents("mask", mask.extents, p.shape);
    check_size("mask", e);
    if (mask.attend.size() != static_cast<std::size_t>(e[0] * e[1] * e[2] * e[3])) {
      bad("number of values of mask", std::to_string(mask.attend.size()),
          "due are " + std::to_string(e[0] * e[1] * e[2] * e[3]), "one value per place");
    }
  }
  if (p.mask.bias) {
    const Extents e = broadcast_extents("bias", p.mask.bias->extents, p.shape);
    check_size("bias", e);
    check_tensor("bias", *p.mask.bias, e);
  }
}

void check_numbers(const Problem& p) {
  if (p.scale && !std::isfinite(*p.scale)) {
    bad("scale", std::to_string(*p.scale), "it must be finite", "or absent: 1/sqrt(d_k)");
  }
  if (!p.scale && p.shape.d_k == 0) {
    bad("scale", "absent", "d_k = 0 has no default scale", "give a scale");
  }
  if (!(std::isfinite(p.softcap) && p.softcap >= 0)) {
    bad("softcap", std::to_string(p.softcap), "it must be finite and >= 0", "0 = none");
  }
  if (p.sinks) {
    check_tensor("sinks", *p.sinks, {p.shape.H_q, 1, 1, 1});
    for (std::uint64_t bits : p.sinks->bits) {
      const double value = decode(p.sinks->format, bits);
      if (!(value <= info(p.sinks->format).max)) {
        bad("a sink", std::to_string(value), "it must be finite or -inf", "-inf = no sink");
      }
    }
  }
  if (p.alibi_slopes) {
    check_tensor("alibi", *p.alibi_slopes, {p.shape.H_q, 1, 1, 1});
    for (std::uint64_t bits : p.alibi_slopes->bits) {
      if (!is_finite(p.alibi_slopes->format, bits)) {
        bad("an ALiBi slope", std::to_string(decode(p.alibi_slopes->format, bits)),
            "it must be finite", "0 = none");
      }
    }
  }
}

void check_call(const CallOptions& call) {
  constexpr std::int32_t most_threads = 1024;
  if (call.threads < 0 || call.threads > most_threads) {
    bad("threads", std::to_string(call.threads), "allowed are 0 to 1024",
        "0 = the candidate's choice");
  }
  if (call.splits < 0) {
    bad("splits", std::to_string(call.splits), "allowed are 0 to 2^31 - 1",
        "0 = the candidate's choice");
  }
}

}  // namespace

void validate(const Shape& s) {
  const std::pair<const char*, std::int64_t> extents[] = {
      {"B", s.B}, {"H_q", s.H_q}, {"H_kv", s.H_kv}, {"L", s.L},
      {"S", s.S}, {"d_k", s.d_k}, {"d_v", s.d_v}};
  for (const auto& [name, value] : extents) check_extent(name, value);
  if (s.H_kv == 0 ? s.H_q != 0 : s.H_q % s.H_kv != 0) {
    bad("H_q", std::to_string(s.H_q), "H_kv = " + std::to_string(s.H_kv) + " must divide it",
        "each key/value head serves the same number of query heads");
  }
  check_size("q", {s.B, s.H_q, s.L, s.d_k});
  check_size("k", {s.B, s.H_kv, s.S, s.d_k});
  check_size("v", {s.B, s.H_kv, s.S, s.d_v});
  check_size("o", {s.B, s.H_q, s.L, s.d_v});
}

void validate(const Problem& p) {
  validate(p.shape);
  const std::pair<const char*, const Tensor*> tensors[] = {{"q", &p.q}, {"k", &p.k}, {"v", &p.v}};
  for (const auto& [name, tensor] : tensors) {
    if (tensor->format != p.format) {
      bad(std::string("format of ") + name, std::string(info(tensor->format).name),
          "the problem's is " + std::string(info(p.format).name), "q, k and v share one format");
    }
  }
  check_tensor("q", p.q, {p.shape.B, p.shape.H_q, p.shape.L, p.shape.d_k});
  check_tensor("k", p.k, {p.shape.B, p.shape.H_kv, p.shape.S, p.shape.d_k});
  check_tensor("v", p.v, {p.shape.B, p.shape.H_kv, p.shape.S, p.shape.d_v});
  check_mask(p);
  check_numbers(p);
  check_layouts(p);
  check_call(p.call);
}

}  // namespace qkvet
