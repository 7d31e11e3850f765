# SPDX-License-Identifier: Apache-2.0
# Finds MPFI, interval arithmetic over MPFR (tests and an opt-in header only). Target: MPFI::MPFI.
include(CMakeFindDependencyMacro)
find_dependency(MPFR)
find_path(MPFI_INCLUDE_DIR mpfi.h)
find_library(MPFI_LIBRARY mpfi)
mark_as_advanced(MPFI_INCLUDE_DIR MPFI_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  MPFI REQUIRED_VARS MPFI_LIBRARY MPFI_INCLUDE_DIR REASON_FAILURE_MESSAGE "Debian: libmpfi-dev")

if(MPFI_FOUND AND NOT TARGET MPFI::MPFI)
  add_library(MPFI::MPFI UNKNOWN IMPORTED)
  set_target_properties(
    MPFI::MPFI PROPERTIES IMPORTED_LOCATION "${MPFI_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                             "${MPFI_INCLUDE_DIR}"
                          INTERFACE_LINK_LIBRARIES MPFR::MPFR)
endif()
