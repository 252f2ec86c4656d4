# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
#
# What `make install` puts on a machine: the commands, the headers, one static library per module,
# and the descriptions by which CMake (find_package(cacheon), targets cacheon::MODULE) and
# pkg-config (cacheon) find them.

include(CMakePackageConfigHelpers)
set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/cacheon)

# A third-party library that no package describes is a target of ours, and is exported with us.
get_property(libraries GLOBAL PROPERTY CACHEON_LIBRARIES)
get_property(linked GLOBAL PROPERTY CACHEON_LINKED)
list(REMOVE_DUPLICATES linked)
set(exported ${libraries})
set(packages)
foreach(dep IN LISTS linked)
  string(REGEX MATCH "^(.*)::(.*)$" parts ${dep})
  set(package ${CMAKE_MATCH_1})
  set(name ${CMAKE_MATCH_2})
  if(NOT package STREQUAL "cacheon")
    list(APPEND packages ${package})
  elseif(NOT cacheon_${name} IN_LIST libraries)
    set_target_properties(cacheon_${name} PROPERTIES EXPORT_NAME ${name})
    list(APPEND exported cacheon_${name})
  endif()
endforeach()
list(REMOVE_DUPLICATES packages)

install(TARGETS ${exported} EXPORT cacheon ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT cacheon NAMESPACE cacheon:: FILE cacheon-targets.cmake DESTINATION ${cmake_folder})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cacheon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
foreach(program cacheon cacheon-conformance)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()

configure_file(${PROJECT_SOURCE_DIR}/cmake/version.h.in ${PROJECT_BINARY_DIR}/version.h @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/version.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/cacheon)

list(TRANSFORM packages REPLACE "(.+)" "find_dependency(\\1)" OUTPUT_VARIABLE find_dependencies)
list(JOIN find_dependencies "\n" CACHEON_FIND_DEPENDENCIES)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/cacheon-config.cmake.in
  ${PROJECT_BINARY_DIR}/cacheon-config.cmake INSTALL_DESTINATION ${cmake_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cacheon-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cacheon-config.cmake
  ${PROJECT_BINARY_DIR}/cacheon-config-version.cmake DESTINATION ${cmake_folder})

# Later modules need earlier ones, so a linker reads them last to first; what no module of ours has
# comes after them.
set(flags ${libraries})
list(REVERSE flags)
list(TRANSFORM flags PREPEND "-l")
set(flag_of_OpenSSL -lcrypto)
set(flag_of_fmt -lfmt)
set(flag_of_LibArchive -larchive)
set(flag_of_ZLIB -lz)
set(flag_of_Threads -pthread)
set(flag_of_ZLIB -lz)
foreach(package IN LISTS packages)
  if(NOT DEFINED flag_of_${package})
    message(FATAL_ERROR "CacheonInstall: no linker flag is known for ${package}")
  endif()
  list(APPEND flags ${flag_of_${package}})
endforeach()
foreach(target IN LISTS exported)
  if(NOT target IN_LIST libraries)
    get_target_property(paths ${target} INTERFACE_LINK_LIBRARIES)
    list(APPEND flags ${paths})
  endif()
endforeach()
list(JOIN flags " " CACHEON_LIBS)
configure_file(${PROJECT_SOURCE_DIR}/cmake/cacheon.pc.in ${PROJECT_BINARY_DIR}/cacheon.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cacheon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
