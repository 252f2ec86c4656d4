# SPDX-FileCopyrightText: The cacheon authors
# SPDX-License-Identifier: Apache-2.0
#
# cacheon_embed_text(OUTPUT NAMESPACE HEADER name=file ...) makes OUTPUT, a source file that defines
# each `std::string_view name()` of HEADER as the content of its file. It runs again when a file
# changes and needs nothing but CMake.
#
# The same file is the script of that build step.
if(CMAKE_SCRIPT_MODE_FILE)
  set(text "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n")
  string(REPLACE "|" ";" ENTRIES "${ENTRIES}")
  foreach(entry IN LISTS ENTRIES)
    string(REGEX MATCH "^([A-Za-z0-9_]+)=(.+)$" ignored "${entry}")
    set(name "${CMAKE_MATCH_1}")
    file(READ "${CMAKE_MATCH_2}" hex HEX)
    string(REGEX REPLACE "(..)" "\\\\x\\1" bytes "${hex}")
    # A string literal per run of bytes: compilers may limit the length of one.
    string(REGEX REPLACE "((\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..)(\\\\x..))"
      "\\1\"\n    \"" bytes "${bytes}")
    string(APPEND text "\nstd::string_view ${name}() {\n  static constexpr char kBytes[] =\n"
      "    \"${bytes}\";\n  return {kBytes, sizeof kBytes - 1};\n}\n")
  endforeach()
  file(WRITE "${OUTPUT}" "${text}\n}  // namespace ${NAMESPACE}\n")
  return()
endif()

set(CACHEON_EMBED_SCRIPT "${CMAKE_CURRENT_LIST_FILE}")

function(cacheon_embed_text OUTPUT NAMESPACE HEADER)
  set(files)
  foreach(entry IN LISTS ARGN)
    string(REGEX REPLACE "^[^=]*=" "" file "${entry}")
    list(APPEND files "${file}")
  endforeach()
  list(JOIN ARGN "|" entries)
  add_custom_command(
    OUTPUT "${OUTPUT}"
    COMMAND ${CMAKE_COMMAND} -D "OUTPUT=${OUTPUT}" -D "NAMESPACE=${NAMESPACE}"
      -D "HEADER=${HEADER}" -D "ENTRIES=${entries}" -P "${CACHEON_EMBED_SCRIPT}"
    DEPENDS ${files} "${CACHEON_EMBED_SCRIPT}"
    COMMENT "Embedding ${files}"
    VERBATIM)
endfunction()
