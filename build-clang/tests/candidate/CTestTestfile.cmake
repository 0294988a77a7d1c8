# CMake generated Testfile for 
# Source directory: /tmp/w/problem/tests/candidate
# Build directory: /tmp/w/problem/build-clang/tests/candidate
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
include("/tmp/w/problem/build-clang/tests/candidate/test_candidate[1]_include.cmake")
