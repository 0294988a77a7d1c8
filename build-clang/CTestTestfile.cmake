# CMake generated Testfile for 
# Source directory: /tmp/w/problem
# Build directory: /tmp/w/problem/build-clang
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
subdirs("src")
subdirs("properties")
subdirs("tests")
subdirs("examples")
subdirs("bench")
