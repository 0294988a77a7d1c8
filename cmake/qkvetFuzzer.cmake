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

# Where the sources of the target are: qkvetConfig.cmake sets it, or the build of qkvet itself.
function(qkvet_fuzz_frame name sanitizers)
  if(TARGET ${name})
    return()
  endif()
  set(folder ${QKVET_FUZZ_SOURCES}/fuzz)
  add_library(${name} OBJECT ${folder}/settings.cpp ${folder}/subject.cpp ${folder}/call.cpp
    ${folder}/screen.cpp ${folder}/screen_letters.cpp ${folder}/screen_sums.cpp
    ${folder}/decide_row.cpp ${folder}/kernel_target.cpp
    ${folder}/targets/differential.cpp ${ARGN})
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
  set(main "")
  set(suffix "")
  if(DEFINED ENV{LIB_FUZZING_ENGINE})
    separate_arguments(engine UNIX_COMMAND "$ENV{LIB_FUZZING_ENGINE}")
    set(what "$ENV{LIB_FUZZING_ENGINE}")
    set(suffix _engine)
  elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(engine -fsanitize=fuzzer)
    set(coverage -fsanitize=fuzzer-no-link)
    set(main ${QKVET_FUZZ_SOURCES}/fuzz/mutator.cpp)
    set(what "libFuzzer")
    if(arg_SANITIZERS AND NOT arg_SANITIZERS STREQUAL "none")
      list(JOIN arg_SANITIZERS "," joined)
      string(MAKE_C_IDENTIFIER "_${joined}" suffix)
      set(sanitizers -fsanitize=${joined} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    endif()
  else()
    set(main ${QKVET_FUZZ_SOURCES}/fuzz/replay_main.cpp)
    set(what "no engine in ${CMAKE_CXX_COMPILER_ID}, so it replays and draws only; clang has one")
    set(suffix _replay)
  endif()
  message(STATUS "fuzzer ${name}: ${what}; the kernel runs in its process (level L0)")

  qkvet_fuzz_frame(qkvet_fuzz_frame${suffix} "${sanitizers}" ${main})
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
    ${contract})
  set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_options(${name} PRIVATE ${sanitizers})
  target_link_libraries(${name} PRIVATE ${engine} qkvet::properties ${arg_LINK})
endfunction()
