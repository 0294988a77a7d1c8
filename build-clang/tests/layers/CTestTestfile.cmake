# CMake generated Testfile for 
# Source directory: /tmp/w/problem/tests/layers
# Build directory: /tmp/w/problem/build-clang/tests/layers
# 
# This file includes the relevant testing commands required for 
# testing this directory and lists subdirectories to be tested as well.
add_test([=[Layers.IncludesPointDownwards]=] "/root/.pyenv/shims/python3" "/tmp/w/problem/tests/layers/layers.py" "/tmp/w/problem")
set_tests_properties([=[Layers.IncludesPointDownwards]=] PROPERTIES  _BACKTRACE_TRIPLES "/tmp/w/problem/tests/layers/CMakeLists.txt;3;add_test;/tmp/w/problem/tests/layers/CMakeLists.txt;0;")
add_test([=[Layers.PlantedFaultsAreCaught]=] "/root/.pyenv/shims/python3" "/tmp/w/problem/tests/layers/layers.py" "--self-test")
set_tests_properties([=[Layers.PlantedFaultsAreCaught]=] PROPERTIES  _BACKTRACE_TRIPLES "/tmp/w/problem/tests/layers/CMakeLists.txt;5;add_test;/tmp/w/problem/tests/layers/CMakeLists.txt;0;")
