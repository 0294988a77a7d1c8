# CMake generated Testfile for 
# Source directory: /tmp/w/problem/tests/e2e
# Build directory: /tmp/w/problem/build-clang/tests/e2e
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
add_test([=[e2e_commands]=] "bash" "/tmp/w/problem/tests/e2e/commands.sh" "/tmp/w/problem/build-clang/bin/qkvet" "/tmp/w/problem" "/tmp/w/problem/build-clang/examples" "/tmp/w/problem/build-clang/tests/e2e/commands")
set_tests_properties([=[e2e_commands]=] PROPERTIES  TIMEOUT "600" _BACKTRACE_TRIPLES "/tmp/w/problem/tests/e2e/CMakeLists.txt;3;add_test;/tmp/w/problem/tests/e2e/CMakeLists.txt;0;")
add_test([=[e2e_candidates]=] "bash" "/tmp/w/problem/tests/e2e/candidates.sh" "/tmp/w/problem/build-clang/bin/qkvet" "/tmp/w/problem" "/tmp/w/problem/build-clang/examples" "/tmp/w/problem/build-clang/tests/e2e/candidates")
set_tests_properties([=[e2e_candidates]=] PROPERTIES  TIMEOUT "600" _BACKTRACE_TRIPLES "/tmp/w/problem/tests/e2e/CMakeLists.txt;3;add_test;/tmp/w/problem/tests/e2e/CMakeLists.txt;0;")
add_test([=[e2e_bad_input]=] "bash" "/tmp/w/problem/tests/e2e/bad_input.sh" "/tmp/w/problem/build-clang/bin/qkvet" "/tmp/w/problem" "/tmp/w/problem/build-clang/examples" "/tmp/w/problem/build-clang/tests/e2e/bad_input")
set_tests_properties([=[e2e_bad_input]=] PROPERTIES  TIMEOUT "600" _BACKTRACE_TRIPLES "/tmp/w/problem/tests/e2e/CMakeLists.txt;3;add_test;/tmp/w/problem/tests/e2e/CMakeLists.txt;0;")
