// The floating-point environment: rounding, flushing, traps, x87 precision. Every proof here assumes
// the default one: round to nearest, no flushing. Foreign code can leave another one behind (a
// library built with -ffast-math turns flushing on when it loads), so every public entry that
// computes sets the default for its own duration, and every call of a candidate is compared.
#pragma once

#include <cfenv>
#include <cstdint>
#include <string>

namespace qkvet {

/// The control bits of the calling thread (not the sticky exception flags).
struct FloatEnvironment {
  std::uint64_t control = 0;  ///< MXCSR without flags, or FPCR
  std::uint16_t x87 = 0;      ///< x87 control word

  bool operator==(const FloatEnvironment&) const = default;
};

inline FloatEnvironment read_float_environment() {
  FloatEnvironment e;
#if defined(__x86_64__)
  e.control = __builtin_ia32_stmxcsr() & ~0x3fu;
  asm volatile("fnstcw %0" : "=m"(e.x87));
#elif defined(__aarch64__)
  asm volatile("mrs %0, fpcr" : "=r"(e.control));
#endif
  return e;
}

inline void set_float_environment(const FloatEnvironment& e) {
#if defined(__x86_64__)
  __builtin_ia32_ldmxcsr(static_cast<unsigned>(e.control));
  asm volatile("fldcw %0" : : "m"(e.x87));
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(e.control));
#else
  (void)e;
#endif
}

/// What differs between two states, in words; empty if nothing does.
inline std::string changed_float_environment(const FloatEnvironment& before,
                                             const FloatEnvironment& after) {
  if (before == after) return {};
  std::string text;
  const auto say = [&](const char* what) {
    text += (text.empty() ? "" : ", ") + std::string(what);
  };
#if defined(__x86_64__)
  const std::uint64_t changed = before.control ^ after.control;
  if ((changed & 0x8000u) != 0) say("flush to zero (FTZ)");
  if ((changed & 0x0040u) != 0) say("denormals are zero (DAZ)");
  if ((changed & 0x6000u) != 0) say("rounding mode");
  if ((changed & 0x1f80u) != 0) say("exception traps");
#else
  if (before.control != after.control) say("floating-point control register");
#endif
  if (before.x87 != after.x87) say("x87 control word");
  return text + " changed by the call";
}

/// Sets the default floating-point environment for its lifetime and puts the caller's back
/// afterwards, sticky flags included.
class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() {
#if defined(__x86_64__)
    // By hand: the C library's default leaves flushing alone, and takes ten times as long.
    mxcsr_ = __builtin_ia32_stmxcsr();
    asm volatile("fnstcw %0" : "=m"(x87_));
    set_float_environment({0x1f80, 0x037f});  // all exceptions masked, nearest, no flushing
#else
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
#endif
  }
  ~DefaultFloatEnvironment() {
#if defined(__x86_64__)
    set_float_environment({mxcsr_, x87_});
#else
    std::fesetenv(&saved_);
#endif
  }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
#if defined(__x86_64__)
  unsigned mxcsr_ = 0;
  std::uint16_t x87_ = 0;
#else
  std::fenv_t saved_{};
#endif
};

}  // namespace qkvet
