// The floating-point environment that every proof here assumes: round to nearest, no flushing.
// Foreign code can leave another one behind (a library built with -ffast-math turns flushing on
// when it loads).
#pragma once

#include <cfenv>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace qkvet {

/// Sets the default floating-point environment for its lifetime and puts the caller's back
/// afterwards.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
#if defined(__x86_64__) || defined(__i386__)
    // The C library's default leaves flush-to-zero and denormals-are-zero alone.
    mxcsr_ = _mm_getcsr();
    _mm_setcsr(default_mxcsr);
#endif
  }
  ~DefaultFloatEnvironment() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_setcsr(mxcsr_);
#endif
    std::fesetenv(&saved_);
  }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  static constexpr unsigned default_mxcsr = 0x1f80;  // All exceptions masked, nearest, no flushing.
  std::fenv_t saved_{};
  unsigned mxcsr_ = default_mxcsr;
};

}  // namespace qkvet
