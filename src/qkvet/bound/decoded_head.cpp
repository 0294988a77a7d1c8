#include <array>
#include <cmath>
#include <qkvet/bound/decoded_head.hpp>

namespace qkvet::bound {

void DecodedHead::head(std::int64_t b, std::int64_t kv_head) {
  if (b == b_ && kv_head == head_) return;
  b_ = b;
  head_ = kv_head;
  k_ = rows(problem_.k, problem_.shape.d_k);
  v_ = rows(problem_.v, problem_.shape.d_v);
  random_.clear();
  for (std::int64_t d = 0; d < problem_.shape.d_v; ++d) random_.push_back(has_three_sizes(d));
}

bool DecodedHead::has_three_sizes(std::int64_t d) const {
  std::array<double, 2> known{-1, -1};
  for (std::int64_t j = 0; j < problem_.shape.S; ++j) {
    const double size = std::fabs(value(j)[d]);
    const auto is = [&](double x) { return x <= size && size <= x; };
    if (is(known[0]) || is(known[1])) continue;
    if (known[0] < 0) {
      known[0] = size;
    } else if (known[1] < 0) {
      known[1] = size;
    } else {
      return true;
    }
  }
  return false;
}

std::vector<double> DecodedHead::rows(const Tensor& tensor, std::int64_t width) const {
  std::vector<double> out;
  out.reserve(static_cast<std::size_t>(problem_.shape.S * width));
  for (std::int64_t j = 0; j < problem_.shape.S; ++j) {
    for (std::int64_t c = 0; c < width; ++c) out.push_back(tensor.value(b_, head_, j, c));
  }
  return out;
}

}  // namespace qkvet::bound
