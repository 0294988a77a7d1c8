#include <qkvet/loops/kernels.hpp>
#include <qkvet/num/proven_exp.hpp>

namespace qkvet::proven {

Two exp_of(double a, double b) {
  static const loops::Kernels& kernels = *loops::available_kernels().back();
  double in[loops::lanes] = {a, b}, out[loops::lanes];
  kernels.exp(in, out, loops::lanes);
  return {out[0], out[1]};
}

}  // namespace qkvet::proven
