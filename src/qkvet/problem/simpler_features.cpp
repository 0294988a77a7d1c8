// Fewer and simpler features: off, all at once and one by one; then simpler kinds, sides, extents,
// numbers; then simpler layouts.
#include <algorithm>
#include <qkvet/problem/simpler_parts.hpp>

namespace qkvet::detail {
namespace {

/// Offers the current problem after `change`.
template <class Change>
bool try_change(Pass& pass, const Change& change) {
  Problem p = pass.current();
  change(p);
  // A layout goes with its tensor.
  if (!p.want_lse) p.layouts.lse = {};
  if (!p.mask.attend) p.layouts.attend = {};
  if (!p.mask.bias) p.layouts.bias = {};
  if (!uses_diagonal(p)) p.mask.diagonal = {};
  return pass.offer(p);
}

void drop_features(Pass& pass) {
  try_change(pass, [](Problem& p) {
    p.mask = {};
    p.softcap = 0;
    p.want_lse = false;
    p.sinks.reset();
    p.alibi_slopes.reset();
    p.call = {};
    if (p.shape.d_k > 0) p.scale.reset();
  });
  try_change(pass, [](Problem& p) { p.mask = {}; });
  try_change(pass, [](Problem& p) { p.call.threads = 0; });
  try_change(pass, [](Problem& p) { p.call.splits = 0; });
  try_change(pass, [](Problem& p) { p.want_lse = false; });
  try_change(pass, [](Problem& p) { p.sinks.reset(); });
  try_change(pass, [](Problem& p) { p.alibi_slopes.reset(); });
  try_change(pass, [](Problem& p) { p.softcap = 0; });
  try_change(pass, [](Problem& p) {
    if (p.shape.d_k > 0) p.scale.reset();
  });
  try_change(pass, [](Problem& p) { p.mask.bias.reset(); });
  try_change(pass, [](Problem& p) { p.mask.attend.reset(); });
  try_change(pass, [](Problem& p) { p.mask.key_range.reset(); });
  try_change(pass, [](Problem& p) { p.mask.window.reset(); });
  try_change(pass, [](Problem& p) { p.mask.causal = false; });
  try_change(pass, [](Problem&) {});  // a diagonal that nothing uses
}

/// A number towards 0: 0 itself, half, one less.
template <class Access>
void lower(Pass& pass, const Access& access) {
  while (true) {
    const std::int64_t now = access(pass.current()).value_or(0);
    if (now == 0) return;
    bool taken = false;
    for (std::int64_t next : {std::int64_t{0}, now / 2, now - (now > 0 ? 1 : -1)}) {
      Problem p = pass.current();
      *access.place(p) = next;
      taken = taken || pass.offer(p);
      if (taken) break;
    }
    if (!taken) return;
  }
}

struct WindowSide {
  bool left;
  std::optional<std::int64_t> operator()(const Problem& p) const {
    if (!p.mask.window) return std::nullopt;
    return left ? p.mask.window->left : p.mask.window->right;
  }
  std::int64_t* place(Problem& p) const {
    return left ? &*p.mask.window->left : &*p.mask.window->right;
  }
};

struct Offset {
  std::size_t index;
  std::optional<std::int64_t> operator()(const Problem& p) const {
    const auto& offsets = p.mask.diagonal.offsets;
    return index < offsets.size() ? std::optional(offsets[index]) : std::nullopt;
  }
  std::int64_t* place(Problem& p) const { return &p.mask.diagonal.offsets[index]; }
};

void simplify_diagonal(Pass& pass) {
  try_change(pass, [](Problem& p) { p.mask.diagonal = {}; });
  try_change(pass, [](Problem& p) { p.mask.diagonal = {Diagonal::Kind::bottom_right, {}}; });
  try_change(pass, [](Problem& p) {
    auto& offsets = p.mask.diagonal.offsets;
    if (!offsets.empty()) offsets.erase(offsets.begin() + 1, offsets.end());
  });
  for (std::size_t n = 0; n < pass.current().mask.diagonal.offsets.size(); ++n)
    lower(pass, Offset{n});
}

/// A window far from a far diagonal shows the keys that a near one does.
void lower_together(Pass& pass) {
  const auto shifted = [&](std::int64_t by) {
    return try_change(pass, [&](Problem& p) {
      if (p.mask.diagonal.kind != Diagonal::Kind::fixed || !p.mask.window) return;
      for (std::int64_t& offset : p.mask.diagonal.offsets) offset -= by;
      if (p.mask.window->left)
        *p.mask.window->left = std::max<std::int64_t>(0, *p.mask.window->left - by);
      if (p.mask.window->right)
        *p.mask.window->right = std::max<std::int64_t>(0, *p.mask.window->right + by);
    });
  };
  if (pass.current().mask.diagonal.offsets.empty()) return;
  const std::int64_t offset = pass.current().mask.diagonal.offsets.front();
  if (shifted(offset) || shifted(offset - (offset > 0 ? 1 : -1))) return;
  while (shifted(offset > 0 ? 1 : -1)) {
  }
}

void simplify_window(Pass& pass) {
  if (!pass.current().mask.window) return;
  try_change(pass, [](Problem& p) { p.mask.window->left.reset(); });
  try_change(pass, [](Problem& p) { p.mask.window->right.reset(); });
  lower(pass, WindowSide{true});
  lower(pass, WindowSide{false});
  lower_together(pass);
}

void simplify_range(Pass& pass) {
  if (!pass.current().mask.key_range) return;
  for (std::size_t b = 0; b < pass.current().mask.key_range->start.size(); ++b) {
    try_change(pass, [&](Problem& p) { p.mask.key_range->start[b] = 0; });
    try_change(pass, [&](Problem& p) { p.mask.key_range->end[b] = p.shape.S; });
  }
}

/// The slice at index 0 of an axis, which then repeats.
template <class Value>
std::vector<Value> first_slice(const std::vector<Value>& values,
                               std::array<std::int64_t, 4>& extents, std::size_t axis) {
  std::int64_t outer = 1, inner = 1;
  for (std::size_t n = 0; n < axis; ++n) outer *= extents[n];
  for (std::size_t n = axis + 1; n < 4; ++n) inner *= extents[n];
  std::vector<Value> out;
  for (std::int64_t o = 0; o < outer; ++o) {
    const auto from = values.begin() + o * extents[axis] * inner;
    out.insert(out.end(), from, from + inner);
  }
  extents[axis] = 1;
  return out;
}

void simplify_extents(Pass& pass) {
  for (std::size_t axis = 0; axis < 4; ++axis) {
    try_change(pass, [&](Problem& p) {
      if (!p.mask.attend || p.mask.attend->extents[axis] < 2) return;
      p.layouts.attend = {};
      p.mask.attend->attend = first_slice(p.mask.attend->attend, p.mask.attend->extents, axis);
    });
    try_change(pass, [&](Problem& p) {
      if (!p.mask.bias || p.mask.bias->extents[axis] < 2) return;
      p.layouts.bias = {};
      p.mask.bias->bits = first_slice(p.mask.bias->bits, p.mask.bias->extents, axis);
    });
  }
}

/// Fewer threads and splits: one, two, half, one less.
void simplify_call(Pass& pass) {
  for (std::int32_t CallOptions::*member : {&CallOptions::threads, &CallOptions::splits}) {
    for (bool taken = true; taken;) {
      const std::int32_t now = pass.current().call.*member;
      taken = false;
      for (const std::int32_t next : {1, 2, now / 2, now - 1}) {
        taken = taken || (next > 0 && next < now &&
                          try_change(pass, [&](Problem& p) { p.call.*member = next; }));
      }
    }
  }
}

void plain_bytes(Problem& p) {
  if (!p.mask.attend) return;
  for (std::uint8_t& byte : p.mask.attend->attend) byte = byte != 0 ? 1 : 0;
}

void into_format(Tensor& tensor, Format format) {
  for (std::uint64_t& bits : tensor.bits) bits = encode(format, decode(tensor.format, bits));
  tensor.format = format;
}

void simplify_formats(Pass& pass) {
  try_change(pass, [](Problem& p) {
    if (p.mask.bias) into_format(*p.mask.bias, p.format);
  });
  try_change(pass, [](Problem& p) {
    if (p.sinks) into_format(*p.sinks, p.format);
  });
  try_change(pass, [](Problem& p) {
    if (p.alibi_slopes) into_format(*p.alibi_slopes, p.format);
  });
}

}  // namespace

void simplify_features(Pass& pass) {
  drop_features(pass);
  simplify_diagonal(pass);
  simplify_window(pass);
  simplify_range(pass);
  try_change(pass, plain_bytes);
  simplify_extents(pass);
  simplify_formats(pass);
  simplify_call(pass);
}

void simplify_layouts(Pass& pass) {
  try_change(pass, [](Problem& p) { p.layouts = {}; });
  for (Layout Layouts::*member : {&Layouts::q, &Layouts::k, &Layouts::v, &Layouts::o, &Layouts::lse,
                                  &Layouts::attend, &Layouts::bias}) {
    try_change(pass, [&](Problem& p) { p.layouts.*member = {}; });
    try_change(pass, [&](Problem& p) { (p.layouts.*member).strides.reset(); });
    try_change(pass, [&](Problem& p) { (p.layouts.*member).shift = 0; });
    try_change(pass, [&](Problem& p) {
      if ((p.layouts.*member).shift > 1) (p.layouts.*member).shift = 1;
    });
  }
}

}  // namespace qkvet::detail
