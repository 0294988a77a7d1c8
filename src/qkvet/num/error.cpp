#include <qkvet/num/error.hpp>

#include <cstdio>
#include <cstdlib>

namespace qkvet::detail {

void assertion_failed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "qkvet: internal error: %s is false (%s:%d)\n", expression, file, line);
  std::abort();
}

}  // namespace qkvet::detail
