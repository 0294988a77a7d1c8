# Warnings as a PRIVATE interface target, so that consumers never inherit them.
add_library(qkvet_warnings INTERFACE)
target_compile_options(qkvet_warnings INTERFACE
  -Wall -Wextra -Wshadow -Wdouble-promotion -Wfloat-equal
  $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict> # g++ 12 warns of every "text" + std::string (its bug 105651)
  # libstdc++ 12's stable_sort calls a function that it has marked as deprecated; clang tells.
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-deprecated-declarations>
  $<$<BOOL:${QKVET_WERROR}>:-Werror>)
# Every room but kernels/ computes without contraction: same bits on every compiler.
add_library(qkvet_strict_fp INTERFACE)
target_compile_options(qkvet_strict_fp INTERFACE -ffp-contract=off)
