# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
#
# One interface target, cacheon::build, carries what every target of ours is compiled with, so that
# no global flag reaches a project that includes us. ccache and mold are used when they are present.

add_library(cacheon_build INTERFACE)
add_library(cacheon::build ALIAS cacheon_build)
target_compile_features(cacheon_build INTERFACE cxx_std_23)
target_compile_options(cacheon_build INTERFACE
  -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Wold-style-cast
  $<$<BOOL:${CACHEON_WERROR}>:-Werror>
  # At -O3, GCC 12 takes the inactive members of a moved std::variant for uninitialised ones, and
  # sees overlapping copies in every `"text" + std::string` (GCC bug 105651).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-maybe-uninitialized -Wno-restrict>)

if(CACHEON_SANITIZE)
  # For the tests that cannot run under a sanitizer; compilers do not agree on a macro of their own.
  target_compile_definitions(cacheon_build INTERFACE CACHEON_SANITIZED)
  target_compile_options(cacheon_build INTERFACE
    -fsanitize=${CACHEON_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -O1)
  target_link_options(cacheon_build INTERFACE -fsanitize=${CACHEON_SANITIZE})
endif()
if(CACHEON_FUZZ)
  target_compile_options(cacheon_build INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(CACHEON_COVERAGE)
  target_compile_options(cacheon_build INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(cacheon_build INTERFACE --coverage)
endif()

set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")

find_program(CACHEON_CCACHE ccache)
if(CACHEON_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${CACHEON_CCACHE}")
endif()
find_program(CACHEON_MOLD mold)
if(CACHEON_MOLD)
  target_link_options(cacheon_build INTERFACE -fuse-ld=mold)
endif()
