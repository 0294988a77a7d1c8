# CMake generated Testfile for 
# Source directory: /tmp/w/problem/tests/zoo
# Build directory: /tmp/w/problem/build-clang/tests/zoo
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
