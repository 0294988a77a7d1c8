# What `cmake --install` lays down: libraries, their headers, the program and the package files.
include(CMakePackageConfigHelpers)

set(QKVET_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/qkvet)
install(TARGETS qkvet_library qkvet_properties qkvet_kernel_abi EXPORT qkvetTargets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(program IN ITEMS qkvet)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()

# Headers stand beside their sources. Boost, MPFR and Arb stay behind the sources that use them.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/qkvet DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h" PATTERN "kernels" EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/src/qkvet/kernels/kernels.hpp
  ${PROJECT_SOURCE_DIR}/src/qkvet/kernels/flash.hpp ${PROJECT_SOURCE_DIR}/src/qkvet/kernels/flash.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/qkvet/kernels)
install(FILES ${PROJECT_SOURCE_DIR}/properties/registry.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/qkvet/properties)

# The differential fuzz target, as sources: qkvet_add_fuzzer compiles it with the user's compiler
# and sanitizers.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/fuzz DESTINATION ${CMAKE_INSTALL_DATADIR}/qkvet
  FILES_MATCHING PATTERN "*.cpp" PATTERN "*.hpp" PATTERN "contract.cpp.in"
  PATTERN "plants" EXCLUDE PATTERN "kernels" EXCLUDE)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/qkvetFuzzer.cmake DESTINATION ${QKVET_PACKAGE_DIR})

install(DIRECTORY ${PROJECT_SOURCE_DIR}/corpus DESTINATION ${CMAKE_INSTALL_DATADIR}/qkvet
  FILES_MATCHING PATTERN "*.case" PATTERN "fuzz" EXCLUDE)

install(EXPORT qkvetTargets NAMESPACE qkvet:: DESTINATION ${QKVET_PACKAGE_DIR})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/qkvetConfig.cmake.in
  ${PROJECT_BINARY_DIR}/qkvetConfig.cmake INSTALL_DESTINATION ${QKVET_PACKAGE_DIR}
  PATH_VARS CMAKE_INSTALL_DATADIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/qkvetConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/qkvetConfig.cmake ${PROJECT_BINARY_DIR}/qkvetConfigVersion.cmake
  DESTINATION ${QKVET_PACKAGE_DIR})
