# The programs with an engine. What is fuzzed is instrumented: the kernel, or the reading of cases,
# contracts and .npy files. Drawing, oracle and bound are not: their branches are not the kernel's, and
# they would cost most of the time.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "QKVET_FUZZERS needs clang (clang-19): g++ has no -fsanitize=fuzzer")
endif()
set(engine -fsanitize=fuzzer)
if(NOT "$ENV{LIB_FUZZING_ENGINE}" STREQUAL "")
  separate_arguments(engine UNIX_COMMAND "$ENV{LIB_FUZZING_ENGINE}")
  message(STATUS "fuzzing engine: ${engine}")
endif()
set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=undefined
  -fno-omit-frame-pointer)
file(GLOB kernel_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/qkvet/kernels/*.cpp
  ${PROJECT_SOURCE_DIR}/src/qkvet/kernels/*/*.cpp)
file(GLOB reader_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/qkvet/problem/*.cpp
  ${PROJECT_SOURCE_DIR}/src/qkvet/contract/*.cpp)
list(APPEND reader_sources ${PROJECT_SOURCE_DIR}/src/qkvet/campaign/npy.cpp)

include(${PROJECT_SOURCE_DIR}/cmake/flash.cmake)

# Branch counters alone for kernels: their comparisons are of drawn numbers, which teach a mutator
# nothing. Those of a parser are of words.
set(branches -fsanitize-coverage=inline-8bit-counters,pc-table)
set(words -fsanitize=fuzzer-no-link)

# An object library of instrumented sources.
function(qkvet_instrumented name contraction)
  cmake_parse_arguments(arg "" "" "SOURCES;OPTIONS" ${ARGN})
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${arg_SOURCES})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
  target_compile_options(${name} PRIVATE ${arg_OPTIONS} -ffp-contract=${contraction})
  target_link_libraries(${name} PRIVATE fmt::fmt qkvet_warnings)
endfunction()

set(default_frame ${kernel_frame})  # with the engine's own mutators, to compare with
list(APPEND kernel_frame mutator.cpp)
# The screen judges, as the library does: it is not what the sanitizers are to look at (the asan preset
# looks at both).
set_source_files_properties(screen.cpp screen_letters.cpp screen_sums.cpp PROPERTIES
  COMPILE_OPTIONS -fno-sanitize=all)

# One program with the engine. The instrumented objects come before the library, so that its own
# copies of them are never taken from it.
function(qkvet_fuzz_engine target suffix)
  set(name fuzz_${target}${suffix})
  add_executable(${name} EXCLUDE_FROM_ALL targets/${target}.cpp)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_options(${name} PRIVATE ${options})
  target_link_options(${name} PRIVATE ${options})
  target_link_libraries(${name} PRIVATE ${ARGN} ${engine} qkvet::properties
    qkvet_warnings qkvet_strict_fp)
endfunction()

foreach(suffix IN ITEMS "" _san)
  set(options "")
  if(suffix STREQUAL "_san")
    set(options ${sanitizers})
  endif()
  qkvet_instrumented(fuzz_kernels${suffix} fast SOURCES ${kernel_sources} OPTIONS ${branches} ${options})
  qkvet_instrumented(fuzz_readers${suffix} off SOURCES ${reader_sources} OPTIONS ${words} ${options})
  qkvet_instrumented(fuzz_flash${suffix} off SOURCES kernels/builtin.cpp OPTIONS ${branches} ${options})
  foreach(kind IN ITEMS kernel parser)
    qkvet_fuzz_objects(fuzz_${kind}_engine${suffix} EXCLUDE_FROM_ALL ${frame} ${${kind}_frame})
    target_compile_options(fuzz_${kind}_engine${suffix} PRIVATE ${options})
  endforeach()
  foreach(target IN LISTS kernel_targets)
    qkvet_fuzz_engine(${target} "${suffix}" fuzz_kernel_engine${suffix} fuzz_kernels${suffix}
      fuzz_flash${suffix})
  endforeach()
  foreach(target IN LISTS parser_targets)
    qkvet_fuzz_engine(${target} "${suffix}" fuzz_parser_engine${suffix} fuzz_readers${suffix})
  endforeach()
endforeach()

# Planted faults, each in the target that must find it, guided and blind: scripts/nightly fuzz-plants.
function(qkvet_fuzz_plant plant target)
  qkvet_instrumented(fuzz_plant_objects_${plant} off SOURCES plants/${plant}.cpp
    OPTIONS ${branches})
  qkvet_fuzz_engine(${target} _plant_${plant} fuzz_kernel_engine fuzz_kernels
    fuzz_plant_objects_${plant})
  qkvet_fuzz_program(fuzz_${target}_blind_${plant} targets/${target}.cpp plants/${plant}.cpp
    $<TARGET_OBJECTS:fuzz_replay_main> $<TARGET_OBJECTS:fuzz_kernel_frame>)
  set_target_properties(fuzz_${target}_blind_${plant} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(fuzz_plants fuzz_${target}_plant_${plant} fuzz_${target}_blind_${plant})
endfunction()
add_custom_target(fuzz_plants)
set(options "")
qkvet_fuzz_plant(nan_of_two_masks fully_masked)
qkvet_fuzz_plant(no_maximum overflow)
qkvet_fuzz_plant(sentinel differential)

# Deep faults: our mutators and feedback against the engine's own mutators, on the same target:
# scripts/nightly deep-faults.
qkvet_fuzz_objects(fuzz_default_engine EXCLUDE_FROM_ALL ${frame} ${default_frame})
add_custom_target(fuzz_deep)
foreach(plant IN ITEMS deep_empty_row deep_wrong_key deep_sentinel)
  qkvet_instrumented(fuzz_plant_objects_${plant} off SOURCES plants/${plant}.cpp
    OPTIONS ${branches})
  qkvet_fuzz_engine(differential _${plant} fuzz_kernel_engine fuzz_kernels
    fuzz_plant_objects_${plant})
  qkvet_fuzz_engine(differential _default_${plant} fuzz_default_engine fuzz_kernels
    fuzz_plant_objects_${plant})
  add_dependencies(fuzz_deep fuzz_differential_${plant} fuzz_differential_default_${plant})
endforeach()
