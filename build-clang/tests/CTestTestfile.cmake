# CMake generated Testfile for 
# Source directory: /tmp/w/problem/tests
# Build directory: /tmp/w/problem/build-clang/tests
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
include("/tmp/w/problem/build-clang/tests/test_bound[1]_include.cmake")
include("/tmp/w/problem/build-clang/tests/test_check[1]_include.cmake")
include("/tmp/w/problem/build-clang/tests/test_contract[1]_include.cmake")
include("/tmp/w/problem/build-clang/tests/test_fleet[1]_include.cmake")
include("/tmp/w/problem/build-clang/tests/test_kernels[1]_include.cmake")
include("/tmp/w/problem/build-clang/tests/test_num[1]_include.cmake")
include("/tmp/w/problem/build-clang/tests/test_oracle[1]_include.cmake")
subdirs("campaign")
subdirs("candidate")
subdirs("e2e")
subdirs("layers")
subdirs("mutants")
subdirs("problem")
subdirs("properties")
subdirs("report")
subdirs("zoo")
