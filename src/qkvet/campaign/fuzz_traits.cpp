#include <algorithm>
#include <bit>
#include <cmath>
#include <qkvet/campaign/campaign.hpp>
#include <qkvet/campaign/fuzz_traits.hpp>
#include <qkvet/problem/draw.hpp>

namespace qkvet {
namespace {

std::uint64_t hash_of(std::string_view name, std::uint64_t value) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return mix(hash ^ mix(value));
}

class Hashes {
 public:
  void add(std::string_view name, std::uint64_t value = 0) {
    hashes_.push_back(hash_of(name, value));
  }
  void add_if(bool present, std::string_view name) {
    if (present) add(name);
  }
  std::vector<std::uint64_t> sorted() {
    std::sort(hashes_.begin(), hashes_.end());
    hashes_.erase(std::unique(hashes_.begin(), hashes_.end()), hashes_.end());
    return std::move(hashes_);
  }

 private:
  std::vector<std::uint64_t> hashes_;
};

std::uint64_t magnitude(std::int64_t extent) {
  return static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint64_t>(extent)));
}

/// Where an extent lies in its last tile of `tile`: on the border, one beyond, one short, inside.
std::uint64_t beside_border(std::int64_t extent, std::int64_t tile) {
  const std::int64_t rest = extent % tile;
  return rest == 0 ? 0 : rest == 1 ? 1 : rest == tile - 1 ? 2 : 3;
}

void add_sizes(Hashes& traits, const Shape& s) {
  traits.add("S mod 16", static_cast<std::uint64_t>(s.S % 16));
  traits.add("S in 32", beside_border(s.S, 32));
  traits.add("S in 64", beside_border(s.S, 64));
  traits.add("S size", magnitude(s.S));
  traits.add("L in 16", beside_border(s.L, 16));
  traits.add("L in 64", beside_border(s.L, 64));
  traits.add("L size", magnitude(s.L));
  traits.add("L to S", s.L < s.S ? 0 : s.L == s.S ? 1 : 2);
  traits.add("d_k in 16", beside_border(s.d_k, 16));
  traits.add("d_k size", magnitude(s.d_k));
  traits.add("d_v in 16", beside_border(s.d_v, 16));
  traits.add("d_v size", magnitude(s.d_v));
  traits.add_if(s.B > 1, "several batch entries");
  traits.add_if(s.H_kv > 1, "several heads");
}

/// One row as the masks leave it.
void add_row(Hashes& traits, const Problem& p, std::int64_t b, std::int64_t h, std::int64_t i) {
  std::int64_t shown = 0, first = -1, last = -1;
  for (std::int64_t j = 0; j < p.shape.S; ++j) {
    if (!visible(p, b, h, i, j)) continue;
    if (first < 0) first = j;
    last = j;
    ++shown;
  }
  const std::int64_t S = p.shape.S;
  traits.add("row", shown == 0 ? 0 : shown == 1 ? 1 : shown == S ? 2 : 3);
  if (shown == 0) return;
  traits.add_if(first >= 16, "row with its first tile hidden");
  traits.add_if(last / 16 < (S - 1) / 16, "row with its last tile hidden");
  traits.add_if(last - first + 1 > shown, "row with holes");
}

void add_rows(Hashes& traits, const Problem& p) {
  for (std::int64_t b = 0; b < p.shape.B; ++b)
    for (std::int64_t h = 0; h < p.shape.H_q; ++h)
      for (std::int64_t i = 0; i < p.shape.L; ++i) add_row(traits, p, b, h, i);
}

std::uint64_t form_of(const std::array<std::int64_t, 4>& extents) {
  std::uint64_t form = 0;
  for (const std::int64_t extent : extents) form = 2 * form + (extent == 1 ? 0 : 1);
  return form;
}

void add_masks(Hashes& traits, const Problem& p) {
  const MaskSpec& mask = p.mask;
  if (uses_diagonal(p)) traits.add("diagonal", static_cast<std::uint64_t>(mask.diagonal.kind));
  if (mask.window) {
    traits.add_if(!mask.window->left, "window open to the left");
    traits.add_if(!mask.window->right, "window open to the right");
    traits.add_if(mask.window->left == 0 || mask.window->right == 0, "window of zero");
  }
  if (mask.attend) traits.add("mask form", form_of(mask.attend->extents));
  if (mask.bias) {
    traits.add("bias form", form_of(mask.bias->extents));
    const std::vector<std::uint64_t>& bits = mask.bias->bits;
    traits.add_if(std::any_of(bits.begin(), bits.end(),
                              [&](std::uint64_t x) { return is_infinite(mask.bias->format, x); }),
                  "bias that hides");
  }
  traits.add_if(p.scale && !(*p.scale > 0), "scale not positive");
}

void add_layout(Hashes& traits, std::string_view tensor, const Layout& layout,
                const std::array<std::int64_t, 4>& extents) {
  std::uint64_t kind = layout.shift != 0 ? 1 : 0;
  if (layout.strides) {
    const auto& strides = *layout.strides;
    kind += strides[3] == 1 ? 2 : 4;
    if (extents[0] > 1 && strides[0] == 0) kind += 8;
    if (strides[1] < strides[2]) kind += 16;
  }
  if (kind != 0) traits.add(tensor, kind);
}

}  // namespace

Traits traits_of(const Problem& problem, std::string_view property, std::string_view stratum) {
  Hashes features, kinds, sizes;
  for (const std::string_view feature : features_of(problem)) features.add(feature);
  kinds.add("stratum", hash_of(stratum, 0));
  add_rows(kinds, problem);
  add_masks(kinds, problem);
  const Shape& s = problem.shape;
  add_layout(kinds, "layout of q", problem.layouts.q, problem.q.extents);
  add_layout(kinds, "layout of k", problem.layouts.k, problem.k.extents);
  add_layout(kinds, "layout of v", problem.layouts.v, problem.v.extents);
  add_layout(kinds, "layout of o", problem.layouts.o, {s.B, s.H_q, s.L, s.d_v});
  add_sizes(sizes, s);
  return {features.sorted(), kinds.sorted(), sizes.sorted(), hash_of(property, 0)};
}

std::vector<std::uint64_t> fuzz_classes(const Traits& traits, std::string_view stratum,
                                        double headroom) {
  std::vector<std::uint64_t> classes{traits.property};
  for (const auto* group : {&traits.features, &traits.kinds, &traits.sizes}) {
    classes.insert(classes.end(), group->begin(), group->end());
  }
  const std::vector<std::uint64_t>& all = traits.features;
  for (std::size_t n = 0; n < all.size(); ++n) {
    for (const auto* group : {&traits.kinds, &traits.sizes}) {
      for (const std::uint64_t other : *group) classes.push_back(mix(all[n] ^ mix(other)));
    }
    for (std::size_t m = 0; m < n; ++m) {
      const std::uint64_t two = mix(all[n] ^ mix(all[m]));
      classes.push_back(two);
      for (std::size_t l = 0; l < m; ++l) classes.push_back(mix(two ^ mix(all[l] + 1)));
    }
  }
  if (headroom > 0 && std::isfinite(headroom)) {
    const auto bucket = static_cast<std::uint64_t>(std::floor(4 * std::log2(headroom)) + 4400);
    classes.push_back(hash_of("error of any stratum", bucket));
    classes.push_back(hash_of(stratum, bucket));
  }
  return classes;
}

}  // namespace qkvet
