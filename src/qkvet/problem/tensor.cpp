#include <qkvet/problem/tensor.hpp>

namespace qkvet {

Tensor make_tensor(Format format, std::array<std::int64_t, 4> extents) {
  Tensor tensor{format, extents, {}};
  tensor.bits.assign(static_cast<std::size_t>(tensor.size()), 0);
  return tensor;
}

std::array<std::int64_t, 4> strides_of(const Layout& layout,
                                       const std::array<std::int64_t, 4>& extents) {
  if (layout.strides) return *layout.strides;
  std::array<std::int64_t, 4> strides{};
  std::int64_t stride = 1;
  for (std::size_t axis = 4; axis-- > 0;) {
    strides[axis] = stride;
    stride *= extents[axis];
  }
  return strides;
}

}  // namespace qkvet
