#----------------------------------------------------------------
# Generated CMake target import file for configuration "Release".
#----------------------------------------------------------------

# Commands may need to know the format version.
set(CMAKE_IMPORT_FILE_VERSION 1)

# Import target "qkvet::qkvet" for configuration "Release"
set_property(TARGET qkvet::qkvet APPEND PROPERTY IMPORTED_CONFIGURATIONS RELEASE)
set_target_properties(qkvet::qkvet PROPERTIES
  IMPORTED_LINK_INTERFACE_LANGUAGES_RELEASE "CXX"
  IMPORTED_LOCATION_RELEASE "${_IMPORT_PREFIX}/lib/libqkvet.a"
  )

list(APPEND _cmake_import_check_targets qkvet::qkvet )
list(APPEND _cmake_import_check_files_for_qkvet::qkvet "${_IMPORT_PREFIX}/lib/libqkvet.a" )

# Import target "qkvet::properties" for configuration "Release"
set_property(TARGET qkvet::properties APPEND PROPERTY IMPORTED_CONFIGURATIONS RELEASE)
set_target_properties(qkvet::properties PROPERTIES
  IMPORTED_LINK_INTERFACE_LANGUAGES_RELEASE "CXX"
  IMPORTED_LOCATION_RELEASE "${_IMPORT_PREFIX}/lib/libqkvet_properties.a"
  )

list(APPEND _cmake_import_check_targets qkvet::properties )
list(APPEND _cmake_import_check_files_for_qkvet::properties "${_IMPORT_PREFIX}/lib/libqkvet_properties.a" )

# Commands beyond this point should not need to know the version.
set(CMAKE_IMPORT_FILE_VERSION)
