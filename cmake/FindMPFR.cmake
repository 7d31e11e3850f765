# SPDX-License-Identifier: Apache-2.0
# Finds MPFR, correctly rounded multiple precision floating point. Target: MPFR::MPFR.
include(CMakeFindDependencyMacro)
find_dependency(GMP)
find_path(MPFR_INCLUDE_DIR mpfr.h)
find_library(MPFR_LIBRARY mpfr)
mark_as_advanced(MPFR_INCLUDE_DIR MPFR_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  MPFR REQUIRED_VARS MPFR_LIBRARY MPFR_INCLUDE_DIR REASON_FAILURE_MESSAGE "Debian: libmpfr-dev")

if(MPFR_FOUND AND NOT TARGET MPFR::MPFR)
  add_library(MPFR::MPFR UNKNOWN IMPORTED)
  set_target_properties(
    MPFR::MPFR PROPERTIES IMPORTED_LOCATION "${MPFR_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                             "${MPFR_INCLUDE_DIR}"
                          INTERFACE_LINK_LIBRARIES GMP::GMP)
endif()
