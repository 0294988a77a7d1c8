# CMake generated Testfile for 
# Source directory: /tmp/w/problem/tests/campaign
# Build directory: /tmp/w/problem/build-clang/tests/campaign
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
include("/tmp/w/problem/build-clang/tests/campaign/test_campaign[1]_include.cmake")
