# CMake generated Testfile for 
# Source directory: /tmp/w/problem/tests/report
# Build directory: /tmp/w/problem/build-clang/tests/report
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
include("/tmp/w/problem/build-clang/tests/report/test_report[1]_include.cmake")
