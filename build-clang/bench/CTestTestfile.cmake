# CMake generated Testfile for 
# Source directory: /tmp/w/problem/bench
# Build directory: /tmp/w/problem/build-clang/bench
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
