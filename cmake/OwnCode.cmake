# SPDX-License-Identifier: Apache-2.0
# heed_own_code(target): what every target compiled from this repository shares.
function(heed_own_code target)
  set_target_properties(
    ${target} PROPERTIES CXX_STANDARD 20 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  # No fused multiply-add behind our back: double kernels give the same bits on every machine.
  target_compile_options(${target} PRIVATE -ffp-contract=off -Wall -Wextra -Wconversion -Wshadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # g++ 12 warns of overlapping copies inside std::string's own operator+ (GCC bug 105651).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(HEED_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
