# Installs this build to a fresh prefix, builds the project beside this file against it, runs it, and
# lets the installed qkvet check the kernel that was built.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "exit ${status}: ${ARGV}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${WORK}/build -G ${GENERATOR}
  -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_BUILD_TYPE=${CONFIG} -DCMAKE_C_COMPILER=${C_COMPILER}
  -DCMAKE_CXX_COMPILER=${CXX_COMPILER})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/worked_example)
# The corpus that was installed is the one that is found.
execute_process(COMMAND ${WORK}/prefix/bin/qkvet corpus list OUTPUT_VARIABLE corpus RESULT_VARIABLE status)
if(NOT status EQUAL 0 OR NOT corpus MATCHES "[0-9]+ cases in [^\n]*/prefix/share/qkvet/corpus, 0 set aside")
  message(FATAL_ERROR "exit ${status}: qkvet corpus list: ${corpus}")
endif()
run(${WORK}/prefix/bin/qkvet check ${WORK}/build/kernel.so --cases 20 --out ${WORK}/findings)
