# SPDX-License-Identifier: Apache-2.0
# cmake -DMODE=installed|subdirectory -DHEED_SOURCE_DIR=... -DHEED_BUILD_DIR=... -DGENERATOR=...
#       -DCXX=... -DCXX_FLAGS=... -P run.cmake
# Builds and runs the consumer project in the build folder of heed, from nothing.
set(work "${HEED_BUILD_DIR}/downstream/${MODE}")
file(REMOVE_RECURSE "${work}")

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "downstream (${MODE}): failed: ${command}")
  endif()
endfunction()

if(MODE STREQUAL "installed")
  run("${CMAKE_COMMAND}" --install "${HEED_BUILD_DIR}" --prefix "${work}/prefix")
  set(settings "-DCMAKE_PREFIX_PATH=${work}/prefix" "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF")
elseif(MODE STREQUAL "subdirectory")
  # Without optimisation: this is about building at all, and has to be quick.
  set(settings "-DHEED_SOURCE_DIR=${HEED_SOURCE_DIR}" -DCMAKE_CXX_FLAGS_DEBUG=-O0)
else()
  message(FATAL_ERROR "MODE must be installed or subdirectory, found '${MODE}'")
endif()

run("${CMAKE_COMMAND}" -G "${GENERATOR}" -S "${CMAKE_CURRENT_LIST_DIR}" -B "${work}/build"
    -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_CXX_FLAGS=${CXX_FLAGS}"
    ${settings})
run("${CMAKE_COMMAND}" --build "${work}/build" --parallel 2)
run("${work}/build/consumer")
run("${work}/build/consumer_arb")

if(MODE STREQUAL "installed")
  if(EXISTS "${work}/prefix/bin/heedcert")
    run("${work}/prefix/bin/heedcert" --version)
  endif()
  find_program(pkg_config pkg-config)
  if(pkg_config)
    file(GLOB_RECURSE pc_file "${work}/prefix/*/heed.pc")
    execute_process(COMMAND "${pkg_config}" --cflags --libs "${pc_file}" OUTPUT_VARIABLE pc_flags)
    separate_arguments(pc_flags UNIX_COMMAND "${pc_flags}")
    separate_arguments(CXX_FLAGS UNIX_COMMAND "${CXX_FLAGS}")
    run("${CXX}" -std=c++20 ${CXX_FLAGS} "${CMAKE_CURRENT_LIST_DIR}/main.cpp" ${pc_flags}
        -o "${work}/consumer_pc")
    set(ENV{LD_LIBRARY_PATH} "${work}/prefix/lib:$ENV{LD_LIBRARY_PATH}")
    run("${work}/consumer_pc")
  endif()
endif()
