// Masks of a simpler kind. A fault of "a hidden key" is met through whatever mask was drawn; what
// is left is to be the same for all of them: causal rather than a range, a range rather than a mask
// of bytes, that rather than a bias.
#include <qkvet/problem/simpler_parts.hpp>

namespace qkvet::detail {
namespace {

using Change = void (*)(Problem&);

/// The parts that can go, the dearest first.
constexpr Change parts[] = {
    [](Problem& p) { p.mask.bias.reset(), p.layouts.bias = {}; },
    [](Problem& p) { p.mask.attend.reset(), p.layouts.attend = {}; },
    [](Problem& p) { p.mask.window.reset(); },
    [](Problem& p) { p.mask.key_range.reset(); },
    [](Problem& p) { p.mask.causal = false; },
};

void range(Problem& p, std::int64_t start, std::int64_t end) {
  const auto entries = static_cast<std::size_t>(p.shape.B);
  p.mask.key_range = KeyRange{std::vector(entries, start), std::vector(entries, end)};
}

/// A row of bytes for all rows: shows every key but `hidden`.
void bytes(Problem& p, std::int64_t hidden) {
  p.mask.attend = BoolMask{{1, 1, 1, p.shape.S},
                           std::vector<std::uint8_t>(static_cast<std::size_t>(p.shape.S), 1)};
  p.mask.attend->attend[static_cast<std::size_t>(hidden)] = 0;
  p.layouts.attend = {};
}

/// What can stand for a part, the simplest first. Those that the problem has already change
/// nothing.
constexpr Change kinds[] = {
    [](Problem& p) { p.mask.causal = true, p.mask.diagonal = {}; },
    [](Problem& p) {
      p.mask.causal = true, p.mask.diagonal = {Diagonal::Kind::bottom_right, {}};
    },
    [](Problem& p) {
      if (!p.mask.key_range) range(p, 0, p.shape.S - 1);
    },
    [](Problem& p) {
      if (!p.mask.key_range) range(p, 1, p.shape.S);
    },
    [](Problem& p) {
      if (!p.mask.key_range) range(p, 0, 0);
    },
    [](Problem& p) {
      if (!p.mask.window) p.mask.window = Window{std::nullopt, 0};
    },
    [](Problem& p) {
      if (!p.mask.window) p.mask.window = Window{0, std::nullopt};
    },
    [](Problem& p) {
      if (!p.mask.attend) bytes(p, p.shape.S - 1);
    },
    [](Problem& p) {
      if (!p.mask.attend) bytes(p, 0);
    },
};

bool replace(Pass& pass, Change drop, Change put) {
  Problem p = pass.current();
  drop(p);
  if (p.mask == pass.current().mask) return false;  // It was not there.
  put(p);
  if (!uses_diagonal(p)) p.mask.diagonal = {};
  return pass.offer(p);
}

void drop_all(Problem& p) {
  p.mask = {};
  p.layouts.attend = p.layouts.bias = {};
}

}  // namespace

void simplify_mask_kinds(Pass& pass) {
  if (pass.current().shape.S < 1 || pass.current().shape.B < 1) return;
  for (const Change put : kinds) {
    if (replace(pass, drop_all, put)) return;
  }
  for (const Change drop : parts) {
    for (const Change put : kinds) {
      if (replace(pass, drop, put)) break;
    }
  }
}

}  // namespace qkvet::detail
