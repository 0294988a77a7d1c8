# CMake generated Testfile for 
# Source directory: /tmp/w/problem/tests/properties
# Build directory: /tmp/w/problem/build-clang/tests/properties
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
include("/tmp/w/problem/build-clang/tests/properties/test_properties[1]_include.cmake")
