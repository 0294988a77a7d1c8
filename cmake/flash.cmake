# The paths of flash for processors that may not be there: chosen at run time, apart from all else.
# Flags of a source file are those of a directory: whoever compiles the kernels includes this.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(flash_room ${PROJECT_SOURCE_DIR}/src/qkvet/kernels/flash)
  set_source_files_properties(${flash_room}/isa_v3.cpp PROPERTIES COMPILE_OPTIONS "-march=x86-64-v3;-O3")
  set_source_files_properties(${flash_room}/isa_v4.cpp PROPERTIES COMPILE_OPTIONS # g++ 12's bug 105593
    "-march=x86-64-v4;-O3;$<$<CXX_COMPILER_ID:GNU>:-Wno-uninitialized;-Wno-maybe-uninitialized>")
endif()
