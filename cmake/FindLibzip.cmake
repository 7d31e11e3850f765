# SPDX-License-Identifier: Apache-2.0
# Finds libzip. Target: libzip::zip, as in libzip's own configuration; that one is not used because
# Debian's fails unless the packages with the programs zipcmp, zipmerge and ziptool are installed.
find_path(Libzip_INCLUDE_DIR zip.h)
find_library(Libzip_LIBRARY zip)
mark_as_advanced(Libzip_INCLUDE_DIR Libzip_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
  Libzip REQUIRED_VARS Libzip_LIBRARY Libzip_INCLUDE_DIR REASON_FAILURE_MESSAGE
                                                         "Debian: libzip-dev")

if(Libzip_FOUND AND NOT TARGET libzip::zip)
  add_library(libzip::zip UNKNOWN IMPORTED)
  set_target_properties(
    libzip::zip PROPERTIES IMPORTED_LOCATION "${Libzip_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                 "${Libzip_INCLUDE_DIR}")
endif()
