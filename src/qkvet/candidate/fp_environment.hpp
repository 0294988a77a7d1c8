// The floating-point control state of the calling thread: rounding, flushing, traps, x87 precision.
#pragma once

#include <cstdint>
#include <string>

namespace qkvet {

/// The control bits (not the sticky exception flags).
struct FpEnvironment {
  std::uint64_t control = 0;  ///< MXCSR without flags, or FPCR
  std::uint16_t x87 = 0;      ///< x87 control word

  bool operator==(const FpEnvironment&) const = default;
};

inline FpEnvironment read_fp_environment() {
  FpEnvironment e;
#if defined(__x86_64__)
  e.control = __builtin_ia32_stmxcsr() & ~0x3fu;
  asm volatile("fnstcw %0" : "=m"(e.x87));
#elif defined(__aarch64__)
  asm volatile("mrs %0, fpcr" : "=r"(e.control));
#endif
  return e;
}

inline void set_fp_environment(const FpEnvironment& e) {
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
inline std::string changed_fp_environment(const FpEnvironment& before, const FpEnvironment& after) {
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

}  // namespace qkvet
