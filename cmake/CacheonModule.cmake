# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
#
# cacheon_module() declares one folder of src/ as a library, with the tests, fuzz targets and
# benchmarks that stand beside its sources.

if(CACHEON_DEVELOPER)
  enable_testing()
  find_package(GTest REQUIRED)
  include(GoogleTest)
  find_package(benchmark QUIET)
endif()

# cacheon_module(NAME
#   SOURCES a.cc ...        the library (cacheon_NAME, alias cacheon::NAME)
#   DEPS core fmt::fmt ...  what public headers need; a bare word is a module of ours
#   PRIVATE_DEPS ...        what only the sources need
#   TESTS a_test.cc ...     one executable NAME_test
#   TEST_DEPS ...           what only the tests need
#   FUZZERS a_fuzz.cc ...   one executable each; without CACHEON_FUZZ they replay their seed corpus
#   BENCHMARKS a_bench.cc   one executable NAME_bench)
function(cacheon_module NAME)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" ""
    "SOURCES;DEPS;PRIVATE_DEPS;TESTS;TEST_DEPS;FUZZERS;BENCHMARKS")
  add_library(cacheon_${NAME} STATIC ${ARG_SOURCES})
  add_library(cacheon::${NAME} ALIAS cacheon_${NAME})
  target_include_directories(cacheon_${NAME}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_features(cacheon_${NAME} PUBLIC cxx_std_23)
  set_target_properties(cacheon_${NAME} PROPERTIES EXPORT_NAME ${NAME})
  cacheon_resolve_deps(public ${ARG_DEPS})
  cacheon_resolve_deps(private ${ARG_PRIVATE_DEPS})
  cacheon_split_header_only(linked build_only ${private})
  target_link_libraries(cacheon_${NAME}
    PUBLIC ${public}
    PRIVATE $<BUILD_INTERFACE:cacheon::build> ${build_only} ${linked})
  set_property(GLOBAL APPEND PROPERTY CACHEON_LIBRARIES cacheon_${NAME})
  set_property(GLOBAL APPEND PROPERTY CACHEON_LINKED ${public} ${linked})
  if(NOT CACHEON_DEVELOPER)
    return()
  endif()

  cacheon_check_headers(${NAME})
  cacheon_resolve_deps(test ${ARG_TEST_DEPS} ${ARG_PRIVATE_DEPS})
  if(ARG_TESTS)
    add_executable(${NAME}_test ${ARG_TESTS})
    target_include_directories(${NAME}_test PRIVATE ${PROJECT_SOURCE_DIR})
    target_compile_definitions(${NAME}_test PRIVATE
      CACHEON_SOURCE_DIR="${PROJECT_SOURCE_DIR}" CACHEON_BINARY_DIR="${PROJECT_BINARY_DIR}")
    target_link_libraries(${NAME}_test PRIVATE
      cacheon::${NAME} cacheon::build ${test} GTest::gmock GTest::gtest_main)
    gtest_discover_tests(${NAME}_test TEST_PREFIX ${NAME}. DISCOVERY_MODE PRE_TEST
      PROPERTIES LABELS ${NAME} TIMEOUT 120)
  endif()
  foreach(source IN LISTS ARG_FUZZERS)
    cacheon_fuzzer(${NAME} ${source} "${test}")
  endforeach()
  if(ARG_BENCHMARKS AND benchmark_FOUND)
    add_executable(${NAME}_bench ${ARG_BENCHMARKS})
    target_include_directories(${NAME}_bench PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${NAME}_bench PRIVATE
      cacheon::${NAME} cacheon::build ${test} benchmark::benchmark_main)
  endif()
endfunction()

# Turns bare module names into their targets and leaves imported targets as they are.
function(cacheon_resolve_deps OUT)
  set(result)
  foreach(dep IN LISTS ARGN)
    if(dep MATCHES "::")
      list(APPEND result ${dep})
    else()
      list(APPEND result cacheon::${dep})
    endif()
  endforeach()
  set(${OUT} ${result} PARENT_SCOPE)
endfunction()

# Sets LINKED to the dependencies that a program links, and BUILD_ONLY to those that are headers for
# our sources alone; the users of an installed cacheon need not have the latter.
function(cacheon_split_header_only LINKED BUILD_ONLY)
  set(linked)
  set(build_only)
  foreach(dep IN LISTS ARGN)
    if(dep MATCHES "^(nlohmann_json|tomlplusplus|CLI11|Eigen3)::")
      list(APPEND build_only $<BUILD_INTERFACE:${dep}>)
    else()
      list(APPEND linked ${dep})
    endif()
  endforeach()
  set(${LINKED} ${linked} PARENT_SCOPE)
  set(${BUILD_ONLY} ${build_only} PARENT_SCOPE)
endfunction()

# Every public header of the module is compiled alone, which proves that it includes what it uses.
function(cacheon_check_headers NAME)
  file(GLOB headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/include"
    "${PROJECT_SOURCE_DIR}/include/cacheon/${NAME}.h"
    "${PROJECT_SOURCE_DIR}/include/cacheon/${NAME}/*.h")
  set(sources)
  foreach(header IN LISTS headers)
    string(REGEX REPLACE "[/.]" "_" stem "${header}")
    set(source "${CMAKE_CURRENT_BINARY_DIR}/header_alone/${stem}.cc")
    file(CONFIGURE OUTPUT "${source}" CONTENT "#include \"${header}\"\n")
    list(APPEND sources "${source}")
  endforeach()
  if(sources)
    add_library(cacheon_${NAME}_headers OBJECT ${sources})
    target_link_libraries(cacheon_${NAME}_headers PRIVATE cacheon::${NAME} cacheon::build)
  endif()
endfunction()

# A fuzz target. With libFuzzer it is a fuzzer; otherwise it is linked with a small driver that runs
# the target over its corpus and over fixed-seed mutations of it, and is a test.
function(cacheon_fuzzer NAME SOURCE DEPS)
  get_filename_component(stem ${SOURCE} NAME_WE)
  set(corpus "${PROJECT_SOURCE_DIR}/tests/corpus/${stem}")
  if(CACHEON_FUZZ)
    add_executable(${stem} ${SOURCE})
    target_link_options(${stem} PRIVATE -fsanitize=fuzzer)
    # libFuzzer adds what it finds to the first folder; the seeds stay as they are.
    set(found "${PROJECT_BINARY_DIR}/corpus/${stem}")
    file(MAKE_DIRECTORY "${found}" "${corpus}")
    add_test(NAME fuzz.${stem} COMMAND ${stem} -runs=20000 -seed=1 -timeout=1 ${found} ${corpus})
  else()
    add_executable(${stem} ${SOURCE} ${PROJECT_SOURCE_DIR}/tools/fuzz_driver.cc)
    add_test(NAME fuzz.${stem} COMMAND ${stem} ${corpus})
  endif()
  set_tests_properties(fuzz.${stem} PROPERTIES LABELS "${NAME};fuzz" TIMEOUT 120)
  target_include_directories(${stem} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${stem} PRIVATE cacheon::${NAME} cacheon::build ${DEPS})
endfunction()
