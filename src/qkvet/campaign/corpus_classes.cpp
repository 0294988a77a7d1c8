// What a case exercises, in words: two cases with the same words do the same work in a corpus.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <qkvet/campaign/campaign.hpp>
#include <set>

namespace qkvet {
namespace {

using Words = std::set<std::string>;

/// 0, 1 or more, and where the extent lies among tiles.
void add_extent(Words& words, std::string_view name, std::int64_t extent) {
  words.insert(fmt::format("{} {}", name, extent == 0 ? "0" : extent == 1 ? "1" : ">1"));
  for (const std::int64_t tile : {16, 32, 64}) {
    if (extent < tile - 1) continue;
    const std::int64_t rest = extent % tile;
    if (rest == 0 || rest == 1 || rest == tile - 1) {
      words.insert(fmt::format("{} mod {} = {}", name, tile, rest));
    }
  }
}

void add_shape(Words& words, const Shape& shape) {
  add_extent(words, "B", shape.B);
  add_extent(words, "L", shape.L);
  add_extent(words, "S", shape.S);
  add_extent(words, "d_k", shape.d_k);
  add_extent(words, "d_v", shape.d_v);
  words.insert(shape.L < shape.S ? "L < S" : shape.L > shape.S ? "L > S" : "L = S");
  if (shape.H_kv > 0) words.insert(fmt::format("group {}", shape.H_q / shape.H_kv));
}

/// "1H1S": which axes broadcast.
std::string pattern(const std::array<std::int64_t, 4>& extents) {
  std::string text;
  for (std::size_t axis = 0; axis < 4; ++axis) text += extents[axis] == 1 ? '1' : "BHLS"[axis];
  return text;
}

std::string diagonal_of(const Diagonal& diagonal) {
  switch (diagonal.kind) {
    case Diagonal::Kind::top_left:
      return "tl";
    case Diagonal::Kind::bottom_right:
      return "br";
    case Diagonal::Kind::fixed:
      return "fixed";
  }
  return "?";
}

void add_mask(Words& words, const Problem& problem) {
  const MaskSpec& mask = problem.mask;
  if (uses_diagonal(problem)) words.insert("diagonal " + diagonal_of(mask.diagonal));
  if (mask.attend) words.insert("mask " + pattern(mask.attend->extents));
  if (mask.bias) {
    words.insert(
        fmt::format("bias {} {}", pattern(mask.bias->extents), info(mask.bias->format).name));
  }
  if (mask.window) {
    words.insert(fmt::format("window {}{}", mask.window->left ? "left" : "",
                             mask.window->right ? "right" : ""));
  }
  if (has_empty_row(problem)) words.insert("empty row");
  if (problem.scale) {
    words.insert(*problem.scale > 0 ? "scale > 0" : *problem.scale < 0 ? "scale < 0" : "scale 0");
  }
}

void add_layouts(Words& words, const Layouts& all) {
  const auto add = [&](std::string_view name, const Layout& layout) {
    if (layout.strides) {
      words.insert(
          fmt::format("strides of {}{}", name, (*layout.strides)[3] == 1 ? "" : ", inner"));
    }
    if (layout.shift != 0) words.insert(fmt::format("shift of {}", name));
  };
  add("q", all.q);
  add("k", all.k);
  add("v", all.v);
  add("o", all.o);
  add("lse", all.lse);
  add("mask", all.attend);
  add("bias", all.bias);
}

/// Kinds of values, and how large they get: by powers of 2^16.
void add_values(Words& words, std::string_view name, const Tensor& tensor) {
  double largest = 0;
  for (const std::uint64_t bits : tensor.bits) {
    const double value = decode(tensor.format, bits);
    if (std::isnan(value)) {
      words.insert(fmt::format("nan in {}", name));
    } else if (std::isinf(value)) {
      words.insert(fmt::format("{}inf in {}", value < 0 ? "-" : "+", name));
    } else if (!(std::fabs(value) <= largest)) {
      largest = std::fabs(value);
    }
  }
  if (!(largest > 0)) return;
  int exponent = 0;
  std::frexp(largest, &exponent);
  words.insert(fmt::format("{} of size 2^{}", name, exponent / 16 * 16));
}

}  // namespace

std::vector<std::string> classes_of(const Problem& problem) {
  Words words;
  const std::vector<std::string_view> features = features_of(problem);
  for (std::size_t a = 0; a < features.size(); ++a) {
    words.insert(std::string(features[a]));
    for (std::size_t b = a + 1; b < features.size(); ++b) {
      words.insert(fmt::format("{} with {}", features[a], features[b]));
    }
  }
  add_shape(words, problem.shape);
  add_mask(words, problem);
  add_layouts(words, problem.layouts);
  add_values(words, "q", problem.q);
  add_values(words, "k", problem.k);
  add_values(words, "v", problem.v);
  return {words.begin(), words.end()};
}

}  // namespace qkvet
