// The kernel that the targets judge if none of the user's is linked: ours.
#include <qkvet/kernels/kernels.hpp>

extern "C" const qkvet_candidate* qkvet_candidate_v1() { return qkvet::builtin_kernel("flash"); }
