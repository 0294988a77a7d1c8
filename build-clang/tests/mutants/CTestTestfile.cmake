# CMake generated Testfile for 
# Source directory: /tmp/w/problem/tests/mutants
# Build directory: /tmp/w/problem/build-clang/tests/mutants
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
