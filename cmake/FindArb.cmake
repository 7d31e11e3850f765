# SPDX-License-Identifier: Apache-2.0
# Finds Arb, ball arithmetic. Target: Arb::Arb.
#
# Two layouts: FLINT 3 contains Arb (<flint/arb.h>, no library of its own); before that Arb is a
# library beside FLINT 2 (<arb.h>, libarb, named libflint-arb by Debian).
include(CMakeFindDependencyMacro)
find_dependency(FLINT)
include(FindPackageHandleStandardArgs)

find_path(Arb_FLINT3_INCLUDE_DIR flint/arb.h HINTS "${FLINT_INCLUDE_DIR}")
mark_as_advanced(Arb_FLINT3_INCLUDE_DIR)
if(Arb_FLINT3_INCLUDE_DIR)
  find_package_handle_standard_args(Arb REQUIRED_VARS FLINT_LIBRARY Arb_FLINT3_INCLUDE_DIR)
  if(Arb_FOUND AND NOT TARGET Arb::Arb)
    add_library(Arb::Arb INTERFACE IMPORTED)
    set_target_properties(
      Arb::Arb PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${Arb_FLINT3_INCLUDE_DIR}"
                          INTERFACE_LINK_LIBRARIES FLINT::FLINT)
  endif()
else()
  find_path(Arb_INCLUDE_DIR arb.h)
  find_library(Arb_LIBRARY NAMES flint-arb arb)
  mark_as_advanced(Arb_INCLUDE_DIR Arb_LIBRARY)
  find_package_handle_standard_args(
    Arb REQUIRED_VARS Arb_LIBRARY Arb_INCLUDE_DIR REASON_FAILURE_MESSAGE "Debian: libflint-arb-dev")
  if(Arb_FOUND AND NOT TARGET Arb::Arb)
    add_library(Arb::Arb UNKNOWN IMPORTED)
    set_target_properties(
      Arb::Arb PROPERTIES IMPORTED_LOCATION "${Arb_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                             "${Arb_INCLUDE_DIR}"
                          INTERFACE_LINK_LIBRARIES FLINT::FLINT)
  endif()
endif()
