# SPDX-License-Identifier: Apache-2.0
# Refuses compiler flags that let the compiler reorder or drop floating-point operations. The proofs
# of our error bounds assume IEEE 754 arithmetic as written; see also heed/numeric/no_fast_math.hpp.
get_directory_property(_heed_options COMPILE_OPTIONS)
set(_heed_flags ${CMAKE_CXX_FLAGS} ${_heed_options})
foreach(_heed_configuration IN ITEMS ${CMAKE_BUILD_TYPE} ${CMAKE_CONFIGURATION_TYPES})
  string(TOUPPER "CMAKE_CXX_FLAGS_${_heed_configuration}" _heed_variable)
  list(APPEND _heed_flags ${${_heed_variable}})
endforeach()

string(
  CONCAT _heed_forbidden
         "-(ffast-math|Ofast|funsafe-math-optimizations|fassociative-math|freciprocal-math"
         "|ffinite-math-only|fno-signed-zeros|ffp-model=fast|ffp-contract=fast)")
if("${_heed_flags}" MATCHES "${_heed_forbidden}")
  message(
    FATAL_ERROR
      "heed refuses the compiler flag ${CMAKE_MATCH_0}: with it the compiler may reorder and drop "
      "floating-point operations, so that enclosures no longer contain the exact value. Remove it "
      "from CMAKE_CXX_FLAGS (or CXXFLAGS) and configure again; -O2 and -O3 are fine.")
endif()
