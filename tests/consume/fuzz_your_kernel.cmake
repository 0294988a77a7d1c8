# Installs this build to a fresh prefix, builds examples/fuzz_your_kernel against it, and lets both
# ways of fuzzing find the bug that the example has; with the bug mended neither finds anything.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out)
  set(out "${out}" PARENT_SCOPE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "exit ${status}: ${ARGV}\n${out}")
  endif()
endfunction()

# finds(WORDS... -- COMMAND...): the command must fail, and say each of the words.
function(finds)
  list(FIND ARGV -- border)
  list(SUBLIST ARGV 0 ${border} words)
  math(EXPR first "${border} + 1")
  list(SUBLIST ARGV ${first} -1 command)
  execute_process(COMMAND ${command} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE out
    WORKING_DIRECTORY ${WORK} TIMEOUT 300)
  if(status EQUAL 0)
    message(FATAL_ERROR "found nothing: ${command}\n${out}")
  endif()
  foreach(word IN LISTS words)
    string(FIND "${out}" "${word}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "does not say '${word}': ${command}\n${out}")
    endif()
  endforeach()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${WORK}/prefix)

# The example, and beside it the kernel with its bug mended, as the comment there says, and under a
# contract of its own.
file(COPY ${SOURCE}/ DESTINATION ${WORK}/source)
file(READ ${SOURCE}/my_attention.cc text)
string(REPLACE "std::max_element(scores, scores + lanes)" "std::max_element(scores, scores + n)"
  mended "${text}")
if(mended STREQUAL text)
  message(FATAL_ERROR "my_attention.cc has no line to mend")
endif()
file(WRITE ${WORK}/source/mended.cc "${mended}")
file(WRITE ${WORK}/source/mine.contract "contract = of-the-test\nbase = f32-any/1\n")
file(APPEND ${WORK}/source/CMakeLists.txt "
qkvet_add_fuzzer(fuzz_mended SOURCES mended.cc CONTRACT mine.contract)
add_library(mended MODULE mended.cc)
target_link_libraries(mended PRIVATE qkvet::kernel_abi)
set_target_properties(mended PROPERTIES PREFIX \"\")
")

# A third fuzzer under g++, for an engine that the environment names (under clang it would have the
# frame compiled anew, without sanitizers).
if(NOT CXX_ID MATCHES "Clang")
  run(${CXX_COMPILER} -std=c++20 -O1 -c ${ENGINE} -o ${WORK}/engine.o)
  file(APPEND ${WORK}/source/CMakeLists.txt "
set(ENV{LIB_FUZZING_ENGINE} \"${WORK}/engine.o -lm\")
qkvet_add_fuzzer(fuzz_with_engine SOURCES my_attention.cc)
")
endif()
set(build ${WORK}/build)
run(${CMAKE_COMMAND} -S ${WORK}/source -B ${build} -G ${GENERATOR}
  -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O1"
  -DCMAKE_C_COMPILER=${C_COMPILER} -DCMAKE_CXX_COMPILER=${CXX_COMPILER})
if(NOT out MATCHES "level L0")
  message(FATAL_ERROR "the level of isolation is not printed:\n${out}")
endif()
run(${CMAKE_COMMAND} --build ${build})

# Linked with the kernel: from no seed at all.
set(said "FAIL matches-reference" "level L0" "qkvet repro 'qk1:" --)
if(CXX_ID MATCHES "Clang")
  finds(${said} ${build}/fuzz_my_attention -seed=1 -max_total_time=120 -artifact_prefix=${WORK}/)
  run(${build}/fuzz_mended -seed=1 -runs=20000 -artifact_prefix=${WORK}/)
else()
  finds(${said} ${build}/fuzz_my_attention --blind 1 120)
  run(${build}/fuzz_mended --blind 1 2)
  finds("the small engine of a test" ${said} ${build}/fuzz_with_engine 100000)
  finds("accepted are --size=tiny" -- ${build}/fuzz_with_engine --nonsense=1)
endif()

# The kernel as a library, in a process of its own.
set(qkvet ${WORK}/prefix/bin/qkvet)
finds("FAIL matches-reference" "qkvet repro" -- ${qkvet} fuzz ${build}/my_attention.so
  --runs 3000 --stop-first --prop matches-reference --out ${WORK}/findings)
run(${qkvet} fuzz ${build}/mended.so --runs 300 --prop matches-reference --out ${WORK}/none)
