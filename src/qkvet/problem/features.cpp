// The table of features, and how a problem is measured by it: shape, numbers, layouts, calls.
#include <algorithm>
#include <cmath>
#include <qkvet/problem/draw.hpp>
#include <qkvet/problem/features_parts.hpp>
#include <vector>

namespace qkvet {
namespace {

std::vector<std::string_view> stratum_names() {
  std::vector<std::string_view> names;
  for (const Stratum& stratum : strata()) names.push_back(stratum.name);
  return names;
}

template <std::size_t N>
constexpr std::span<const std::string_view> list(const std::string_view (&names)[N]) {
  return names;
}

constexpr std::string_view batch[] = {"1", "several", "> 65535"};
constexpr std::string_view group[] = {"1", "2 4 8", "3 5 6 7", "16 and more"};
constexpr std::string_view kv_heads[] = {"1", "several", "as many as the group", "> 65535"};
constexpr std::string_view lengths[] = {"L = 1", "L < S", "L = S", "L > S"};
constexpr std::string_view rows[] = {"< 15", "in a tile", "end of a tile", "beside its end"};
constexpr std::string_view keys[] = {"1-16",    "17-64",      "65-300",
                                     "301-4096", "4097-32768", "> 32768"};
constexpr std::string_view keys_in_tile[] = {"inside", "64 n", "16 n", "16 n + 1", "16 n - 1"};
constexpr std::string_view key_channels[] = {"1-8", "9-31", "32 and more, 16 n", "other"};
constexpr std::string_view value_channels[] = {"d_v = d_k", "d_v < d_k", "d_v > d_k"};
constexpr std::string_view yes_no[] = {"no", "yes"};
constexpr std::string_view causal[] = {"no", "tl", "br", "fixed"};
constexpr std::string_view window[] = {"no", "of zero", "one side", "two sides"};
constexpr std::string_view key_range[] = {"no", "right padding", "left padding", "both"};
constexpr std::string_view broadcast[] = {"none", "1", "own"};
constexpr std::string_view mask_bytes[] = {"none", "0 and 1", "others"};
constexpr std::string_view empty_row[] = {"no", "by one part", "by parts together"};
constexpr std::string_view bias_values[] = {"none", "finite", "-inf", "lowest number", "-1e4"};
constexpr std::string_view bias_format[] = {"none", "that of q", "another"};
constexpr std::string_view scale[] = {"default", "1", "positive", "negative", "0"};
constexpr std::string_view softcap[] = {"none", "at most 1", "above 1", "of many bits"};
constexpr std::string_view sinks[] = {"none", "ordinary", "0", ">= 100", "-inf"};
constexpr std::string_view alibi[] = {"none", "powers of two", "of few bits", "of many bits"};
constexpr std::string_view layout[] = {"plain", "padded", "other order", "inner stride", "stride 0"};
constexpr std::string_view out_layout[] = {"plain", "padded", "other order", "inner stride"};
constexpr std::string_view maybe_layout[] = {"none", "plain", "own"};
constexpr std::string_view base[] = {"aligned", "misaligned", "byte offset"};
constexpr std::string_view threads[] = {"any", "1", "several"};
constexpr std::string_view splits[] = {"any", "1", "several", "more than keys"};

/// Bits that the significand of x needs.
int width_of(double x) {
  if (!(std::fabs(x) > 0)) return 0;
  int exponent = 0;
  double fraction = std::fabs(std::frexp(x, &exponent));
  int width = 0;
  for (; fraction > 0; ++width) {
    fraction *= 2;
    fraction -= std::floor(fraction);
  }
  return width;
}

constexpr int few_bits = 8;  // what bf16 holds

std::int8_t layout_of(const Layout& given, const std::array<std::int64_t, 4>& extents) {
  if (!given.strides) return 0;
  const std::array<std::int64_t, 4>& strides = *given.strides;
  std::int64_t least = 0, dense = 1;
  bool ordered = true;
  for (std::size_t axis = 4; axis-- > 0;) {
    if (extents[axis] < 2) continue;
    if (strides[axis] == 0) return 4;
    ordered = ordered && strides[axis] >= least;
    least = strides[axis];
    dense *= extents[axis];
  }
  if (!ordered) return 2;
  if (extents[3] > 1 && strides[3] != 1) return 3;
  std::int64_t reach = 0;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    reach += std::max<std::int64_t>(extents[axis] - 1, 0) * strides[axis];
  }
  return reach >= dense ? 1 : 0;
}

std::int8_t maybe(bool present, const Layout& given, const std::array<std::int64_t, 4>& extents) {
  if (!present) return 0;
  return layout_of(given, extents) == 0 ? 1 : 2;
}

std::int8_t tile_place(std::int64_t extent) {
  const std::int64_t rest = extent % 16;
  if (extent < 15) return 0;
  return rest == 0 ? 2 : rest == 1 || rest == 15 ? 3 : 1;
}

void add_shape(FeatureValues& out, const Shape& s) {
  constexpr std::int64_t wide = 65535;
  if (s.B > 0) out[Feature::batch] = s.B == 1 ? 0 : s.B <= wide ? 1 : 2;
  if (s.H_q > 0) {
    const std::int64_t G = s.H_q / s.H_kv;
    const bool power = G == 2 || G == 4 || G == 8;
    out[Feature::group] = G == 1 ? 0 : power ? 1 : G < 16 ? 2 : 3;
    out[Feature::kv_heads] = s.H_q > wide ? 3 : s.H_kv == 1 ? 0 : s.H_kv == G ? 2 : 1;
  }
  if (s.L > 0 && s.S > 0) {
    out[Feature::lengths] = s.L == 1 ? 0 : s.L < s.S ? 1 : s.L == s.S ? 2 : 3;
    out[Feature::rows] = tile_place(s.L);
    out[Feature::keys] = s.S <= 16 ? 0 : s.S <= 64 ? 1 : s.S <= 300 ? 2 : s.S <= 4096 ? 3
                         : s.S <= 32768 ? 4 : 5;
    const std::int64_t rest = s.S % 16;
    out[Feature::keys_in_tile] = s.S < 15 ? 0 : s.S % 64 == 0 ? 1 : rest == 0 ? 2 : rest == 1 ? 3
                                 : rest == 15 ? 4 : 0;
    const bool whole = s.L % 16 == 0 && s.S % 16 == 0;
    const bool channels = s.d_k > 0 && s.d_v > 0 && s.d_k % 32 == 0 && s.d_v % 32 == 0;
    out[Feature::aligned] = whole && channels ? 1 : 0;
  }
  if (s.d_k > 0) {
    out[Feature::key_channels] = s.d_k <= 8 ? 0 : s.d_k < 32 ? 1 : s.d_k % 16 == 0 ? 2 : 3;
    if (s.d_v > 0) out[Feature::value_channels] = s.d_v == s.d_k ? 0 : s.d_v < s.d_k ? 1 : 2;
  }
}

void add_numbers(FeatureValues& out, const Problem& p) {
  out[Feature::scale] = !p.scale           ? 0
                        : *p.scale < 0     ? 3
                        : !(*p.scale > 0)  ? 4
                        : *p.scale - 1 < 0 || *p.scale - 1 > 0 ? 2
                                           : 1;
  out[Feature::softcap] = !(p.softcap > 0)                  ? 0
                          : width_of(p.softcap) > few_bits ? 3
                          : p.softcap <= 1                  ? 1
                                                            : 2;
  out[Feature::sinks] = out[Feature::alibi] = 0;
  if (p.sinks) {
    bool high = false, hidden = false, zero = false;
    for (const std::uint64_t bits : p.sinks->bits) {
      const double sink = decode(p.sinks->format, bits);
      high = high || sink >= 100;
      hidden = hidden || std::isinf(sink);
      zero = zero || (!(sink < 0) && !(sink > 0));
    }
    out[Feature::sinks] = high ? 3 : hidden ? 4 : zero ? 2 : 1;
  }
  if (p.alibi_slopes) {
    int most = 1;
    for (const std::uint64_t bits : p.alibi_slopes->bits) {
      most = std::max(most, width_of(decode(p.alibi_slopes->format, bits)));
    }
    out[Feature::alibi] = most == 1 ? 1 : most <= few_bits ? 2 : 3;
  }
  out[Feature::lse] = p.want_lse ? 1 : 0;
  bool far = false;
  for (std::int64_t b = 0; uses_diagonal(p) && b < p.shape.B; ++b) {
    far = far || std::abs(diagonal_offset(p, b)) > 256;
  }
  out[Feature::far_diagonal] = far ? 1 : 0;
}

void add_memory(FeatureValues& out, const Problem& p) {
  const Shape& s = p.shape;
  const Layouts& all = p.layouts;
  out[Feature::layout_q] = layout_of(all.q, p.q.extents);
  out[Feature::layout_k] = layout_of(all.k, p.k.extents);
  out[Feature::layout_v] = layout_of(all.v, p.v.extents);
  out[Feature::layout_o] = layout_of(all.o, {s.B, s.H_q, s.L, s.d_v});
  out[Feature::layout_lse] = maybe(p.want_lse, all.lse, {s.B, s.H_q, s.L, 1});
  const bool mask = p.mask.attend.has_value(), bias = p.mask.bias.has_value();
  out[Feature::layout_mask] =
      mask ? maybe(true, all.attend, p.mask.attend->extents) : std::int8_t{0};
  out[Feature::layout_bias] = bias ? maybe(true, all.bias, p.mask.bias->extents) : std::int8_t{0};
  bool even = false, odd = false;
  for (const Layout* given : {&all.q, &all.k, &all.v, &all.o, &all.lse, &all.attend, &all.bias}) {
    even = even || (given->shift != 0 && given->shift % 2 == 0);
    odd = odd || given->shift % 2 == 1;
  }
  out[Feature::base] = odd ? 2 : even ? 1 : 0;
  out[Feature::thread_count] = p.call.threads == 0 ? 0 : p.call.threads == 1 ? 1 : 2;
  out[Feature::split_count] = p.call.splits == 0 ? 0 : p.call.splits == 1 ? 1
                         : p.call.splits <= s.S ? 2 : 3;
}

}  // namespace

std::span<const FeatureInfo> feature_table() {
  static const std::vector<std::string_view> names = stratum_names();
  static const std::array<FeatureInfo, feature_total> table{{
      {"stratum", names},
      {"batch", list(batch)},
      {"group", list(group)},
      {"kv heads", list(kv_heads)},
      {"lengths", list(lengths)},
      {"rows", list(rows)},
      {"keys", list(keys)},
      {"keys in tile", list(keys_in_tile)},
      {"d_k", list(key_channels)},
      {"d_v", list(value_channels)},
      {"aligned shape", list(yes_no)},
      {"causal", list(causal)},
      {"window", list(window)},
      {"key range", list(key_range)},
      {"mask batch", list(broadcast)},
      {"mask heads", list(broadcast)},
      {"mask rows", list(broadcast)},
      {"mask keys", list(broadcast)},
      {"mask bytes", list(mask_bytes)},
      {"first tile hidden", list(yes_no)},
      {"last tile hidden", list(yes_no)},
      {"one visible key", list(yes_no)},
      {"inside of tiles only", list(yes_no)},
      {"hole of a tile", list(yes_no)},
      {"empty row", list(empty_row)},
      {"bias batch", list(broadcast)},
      {"bias heads", list(broadcast)},
      {"bias rows", list(broadcast)},
      {"bias keys", list(broadcast)},
      {"bias values", list(bias_values)},
      {"bias format", list(bias_format)},
      {"row of sentinels", list(yes_no)},
      {"far diagonal", list(yes_no)},
      {"scale", list(scale)},
      {"softcap", list(softcap)},
      {"sinks", list(sinks)},
      {"alibi", list(alibi)},
      {"lse", list(yes_no)},
      {"layout of q", list(layout)},
      {"layout of k", list(layout)},
      {"layout of v", list(layout)},
      {"layout of o", list(out_layout)},
      {"layout of lse", list(maybe_layout)},
      {"layout of mask", list(maybe_layout)},
      {"layout of bias", list(maybe_layout)},
      {"base", list(base)},
      {"threads", list(threads)},
      {"splits", list(splits)},
  }};
  return table;
}

const FeatureInfo& info(Feature feature) {
  return feature_table()[static_cast<std::size_t>(feature)];
}

std::string_view name_of(Feature feature, std::size_t value) { return info(feature).values[value]; }

FeatureValues features_in(const Problem& problem, std::string_view stratum) {
  FeatureValues out;
  const std::span<const std::string_view> names = info(Feature::stratum).values;
  const auto found = std::find(names.begin(), names.end(), stratum);
  if (found != names.end()) {
    out[Feature::stratum] = static_cast<std::int8_t>(found - names.begin());
  }
  add_shape(out, problem.shape);
  add_numbers(out, problem);
  add_memory(out, problem);
  detail::add_masks(out, problem);
  return out;
}

}  // namespace qkvet
