# SPDX-License-Identifier: Apache-2.0
# Headers, library, command, CMake package and pkg-config file.
include(CMakePackageConfigHelpers)
set(heed_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/heed")

install(
  TARGETS heed
  EXPORT heedTargets
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(
  DIRECTORY "${PROJECT_SOURCE_DIR}/lib/heed"
  DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING
  PATTERN "*.hpp"
  PATTERN "*.ipp")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" "${PROJECT_SOURCE_DIR}/NOTICE"
        DESTINATION "${CMAKE_INSTALL_DOCDIR}")
if(TARGET heedcert)
  install(TARGETS heedcert heedcheck RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

install(EXPORT heedTargets NAMESPACE heed:: DESTINATION "${heed_package_dir}")
configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/heedConfig.cmake.in" "${PROJECT_BINARY_DIR}/heedConfig.cmake"
  INSTALL_DESTINATION "${heed_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/heedConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)
install(
  FILES "${PROJECT_BINARY_DIR}/heedConfig.cmake"
        "${PROJECT_BINARY_DIR}/heedConfigVersion.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/FindArb.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/FindFLINT.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/FindGMP.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/FindLibzip.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/FindMPFI.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/FindMPFR.cmake"
  DESTINATION "${heed_package_dir}")

# Relative to the file itself, so that an installation can be moved.
file(RELATIVE_PATH heed_pc_prefix "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig"
     "${CMAKE_INSTALL_PREFIX}")
# The name of Arb's library depends on its version; what is left is named alike everywhere.
set(heed_pc_dependencies "")
if(Arb_LIBRARY)
  get_filename_component(heed_arb_name "${Arb_LIBRARY}" NAME_WE)
  string(REGEX REPLACE "^lib" " -l" heed_pc_dependencies "${heed_arb_name}")
endif()
string(APPEND heed_pc_dependencies " -lflint -lmpfr -lzip -lz -lcrypto -pthread")
if(BUILD_SHARED_LIBS)
  set(heed_pc_libs " -lgmp")
  set(heed_pc_libs_private "${heed_pc_dependencies}")
else()
  set(heed_pc_libs "${heed_pc_dependencies} -lgmp")
  set(heed_pc_libs_private "")
endif()
configure_file("${PROJECT_SOURCE_DIR}/cmake/heed.pc.in" "${PROJECT_BINARY_DIR}/heed.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/heed.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
