# Installation: bin/heed, the libraries, their headers and a CMake package for find_package(heed).
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/heed)
get_property(layers GLOBAL PROPERTY HEED_LAYERS)

install(TARGETS ${layers} EXPORT heed_targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
# A header named *-inl.h is part of one source file (Highway compiles it once per instruction set).
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/heed DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*-inl.h" EXCLUDE PATTERN "hardware" EXCLUDE)
install(EXPORT heed_targets NAMESPACE heed:: FILE heedTargets.cmake DESTINATION ${package_folder})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/heedConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/heedConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/heedConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/heedConfig.cmake
              ${PROJECT_BINARY_DIR}/package/heedConfigVersion.cmake DESTINATION ${package_folder})
