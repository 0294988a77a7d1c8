# qkvet_add_fuzzer(NAME SOURCES mine.cc... [CONTRACT file] [LINK libraries...] [SANITIZERS list])
#
# A fuzzer for a kernel: its sources, which define qkvet_candidate_v1 (kernel.h), with the
# differential target of qkvet, which judges every output under the kernel's contract. The kernel
# runs inside the fuzzer's process (level L0).
#
#   CONTRACT    a contract file; it wins over the kernel's own, the kernel's limits stay
#   LINK        libraries of the kernel
#   SANITIZERS  of the kernel and the target: address;undefined unless given, none for speed
#
# With clang: libFuzzer, and branch counters in SOURCES only. With $LIB_FUZZING_ENGINE (ClusterFuzz,
# OSS-Fuzz, AFL++): that engine, and no flags of ours, for then the environment brings them. Else,
# g++ for example, a main that replays inputs and draws without guidance.
include_guard(GLOBAL)

# Objects of sources below QKVET_FUZZ_SOURCES (qkvetConfig.cmake sets it, or the build of qkvet
# itself); made once for all fuzzers of a folder that want them with the same sanitizers.
function(qkvet_fuzz_objects_once name sanitizers)
  if(TARGET ${name})
    return()
  endif()
  list(TRANSFORM ARGN PREPEND ${QKVET_FUZZ_SOURCES}/fuzz/ OUTPUT_VARIABLE sources)
  add_library(${name} OBJECT ${sources})
  target_include_directories(${name} SYSTEM PRIVATE ${QKVET_FUZZ_SOURCES})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_compile_options(${name} PRIVATE -ffp-contract=off ${sanitizers})
  target_link_libraries(${name} PRIVATE qkvet::properties)
endfunction()

function(qkvet_add_fuzzer name)
  cmake_parse_arguments(arg "" "CONTRACT" "SOURCES;LINK;SANITIZERS" ${ARGN})
  if(NOT arg_SOURCES OR arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "qkvet_add_fuzzer(${name}): usage: qkvet_add_fuzzer(NAME SOURCES mine.cc... "
      "[CONTRACT file] [LINK libraries...] [SANITIZERS list]); not understood: "
      "'${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT DEFINED arg_SANITIZERS)
    set(arg_SANITIZERS address undefined)
  endif()
  set(sanitizers "")
  set(coverage "")
  set(engine "")
  set(main mutator)
  set(suffix "")
  if(NOT "$ENV{LIB_FUZZING_ENGINE}" STREQUAL "")
    separate_arguments(engine UNIX_COMMAND "$ENV{LIB_FUZZING_ENGINE}")
    set(what "$ENV{LIB_FUZZING_ENGINE}")
  elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(engine -fsanitize=fuzzer)
    set(coverage -fsanitize=fuzzer-no-link)
    set(what "libFuzzer")
    if(arg_SANITIZERS AND NOT arg_SANITIZERS STREQUAL "none")
      list(JOIN arg_SANITIZERS "," joined)
      string(MAKE_C_IDENTIFIER "_${joined}" suffix)
      set(sanitizers -fsanitize=${joined} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    endif()
  else()
    set(main replay_main)
    set(what "no engine in ${CMAKE_CXX_COMPILER_ID}, so it replays and draws only; clang has one")
  endif()
  message(STATUS "fuzzer ${name}: ${what}; the kernel runs in its process (level L0)")

  qkvet_fuzz_objects_once(qkvet_fuzz_frame${suffix} "${sanitizers}" settings.cpp subject.cpp call.cpp
    feedback.cpp screen.cpp screen_letters.cpp screen_sums.cpp decide_row.cpp kernel_target.cpp
    targets/differential.cpp)
  qkvet_fuzz_objects_once(qkvet_fuzz_${main}${suffix} "${sanitizers}" ${main}.cpp)
  set(contract "")
  if(arg_CONTRACT)
    get_filename_component(file ${arg_CONTRACT} ABSOLUTE)
    file(READ ${file} QKVET_CONTRACT_TEXT)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    set(contract ${CMAKE_CURRENT_BINARY_DIR}/${name}_contract.cpp)
    configure_file(${QKVET_FUZZ_SOURCES}/fuzz/contract.cpp.in ${contract} @ONLY)
  endif()
  add_library(${name}_kernel OBJECT ${arg_SOURCES})
  target_compile_options(${name}_kernel PRIVATE ${coverage} ${sanitizers})
  target_link_libraries(${name}_kernel PRIVATE qkvet::kernel_abi ${arg_LINK})
  add_executable(${name} $<TARGET_OBJECTS:${name}_kernel> $<TARGET_OBJECTS:qkvet_fuzz_frame${suffix}>
    $<TARGET_OBJECTS:qkvet_fuzz_${main}${suffix}> ${contract})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_options(${name} PRIVATE ${sanitizers})
  target_link_libraries(${name} PRIVATE ${engine} qkvet::properties ${arg_LINK})
endfunction()
