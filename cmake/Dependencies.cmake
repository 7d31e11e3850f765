# SPDX-License-Identifier: Apache-2.0
# The libraries that heed is made from. Nothing is downloaded; tools/setup.sh installs them.

# heed_find(target, arguments of find_package...): a project that includes heed by add_subdirectory
# may have found the library already, and needs to see the targets which heed links to.
macro(heed_find target)
  if(NOT TARGET ${target})
    find_package(${ARGN} REQUIRED)
    set_target_properties(${target} PROPERTIES IMPORTED_GLOBAL ON)
  endif()
endmacro()

heed_find(GMP::GMP GMP)
heed_find(MPFR::MPFR MPFR)
heed_find(FLINT::FLINT FLINT)
heed_find(Arb::Arb Arb)
heed_find(Boost::headers Boost 1.74 CONFIG)
heed_find(Eigen3::Eigen Eigen3 3.4 CONFIG)
heed_find(Spectra::Spectra Spectra 1.0 CONFIG)
heed_find(nlohmann_json::nlohmann_json nlohmann_json 3.9 CONFIG)
heed_find(libzip::zip Libzip)
heed_find(ZLIB::ZLIB ZLIB)
heed_find(OpenSSL::Crypto OpenSSL COMPONENTS Crypto)
heed_find(Threads::Threads Threads)

if(HEED_BUILD_TOOLS OR HEED_BUILD_TESTS)
  heed_find(CLI11::CLI11 CLI11 2.1 CONFIG)
endif()
if(HEED_BUILD_TESTS OR HEED_BUILD_CHECKS)
  heed_find(MPFI::MPFI MPFI)
endif()
if(HEED_BUILD_TESTS)
  heed_find(Catch2::Catch2 Catch2 2.13 CONFIG)
endif()
if(HEED_BUILD_CHECKS)
  heed_find(rapidcheck rapidcheck CONFIG)
endif()
