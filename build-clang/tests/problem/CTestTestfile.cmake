# CMake generated Testfile for 
# Source directory: /tmp/w/problem/tests/problem
# Build directory: /tmp/w/problem/build-clang/tests/problem
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
include("/tmp/w/problem/build-clang/tests/problem/test_problem[1]_include.cmake")
add_test([=[DrawDigests.AreTheGoldenOnesAtO0]=] "/tmp/w/problem/build-clang/bin/draw_digests_O0" "/tmp/w/problem/tests/problem/digests/golden.txt")
set_tests_properties([=[DrawDigests.AreTheGoldenOnesAtO0]=] PROPERTIES  _BACKTRACE_TRIPLES "/tmp/w/problem/tests/problem/CMakeLists.txt;22;add_test;/tmp/w/problem/tests/problem/CMakeLists.txt;0;")
add_test([=[DrawDigests.AreTheGoldenOnesAtO3]=] "/tmp/w/problem/build-clang/bin/draw_digests_O3" "/tmp/w/problem/tests/problem/digests/golden.txt")
set_tests_properties([=[DrawDigests.AreTheGoldenOnesAtO3]=] PROPERTIES  _BACKTRACE_TRIPLES "/tmp/w/problem/tests/problem/CMakeLists.txt;22;add_test;/tmp/w/problem/tests/problem/CMakeLists.txt;0;")
