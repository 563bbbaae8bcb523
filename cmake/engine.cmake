# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# How one port becomes an engine, and how its tests are built. Files are found by their folder, so that a new
# measurement, load or test needs no line here.

# The repository, also where this is included by the project of the boards' images.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH rtstone_root)

# The flags of all C code of ours.
add_library(rtstone_flags INTERFACE)
target_compile_options(rtstone_flags INTERFACE -Wall -Wextra -Wconversion)
if(RTSTONE_BUILD_TESTS)
  target_compile_options(rtstone_flags INTERFACE -Werror)
endif()
if(RTSTONE_SANITIZE)
  set(sanitizers -fsanitize=${RTSTONE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_compile_options(rtstone_flags INTERFACE ${sanitizers})
  if(RTSTONE_SANITIZE STREQUAL "thread")
    target_compile_options(rtstone_flags INTERFACE -Wno-tsan) # of a fence for a BPF program, which no sanitizer sees
  endif()
  target_link_options(rtstone_flags INTERFACE ${sanitizers})
endif()

include(${rtstone_root}/linux/linux.cmake)

# Sets a variable to the core's files: what every port is compiled with, by the patterns of engine/sources.txt.
function(rtstone_core_sources variable)
  file(STRINGS ${rtstone_root}/engine/sources.txt patterns REGEX "^[^#]")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${rtstone_root}/engine/sources.txt)
  list(TRANSFORM patterns PREPEND ${rtstone_root}/)
  file(GLOB core CONFIGURE_DEPENDS ${patterns})
  set(${variable} ${core} PARENT_SCOPE)
endfunction()

# rtstone_add_engine(PORT <folder of ports/> [PROGRAM <name>])
# Makes the library rtstone_engine_<port>: core, measurements, loads and port, all but the port's main.c. The core is
# compiled anew for each port because the port's clock read is inline. With PROGRAM, main.c makes it a program.
function(rtstone_add_engine)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "PORT;PROGRAM" "")
  set(port_dir ${rtstone_root}/ports/${arg_PORT})
  set(library rtstone_engine_${arg_PORT})

  rtstone_core_sources(core)
  file(GLOB port CONFIGURE_DEPENDS ${port_dir}/*.c)
  list(REMOVE_ITEM port ${port_dir}/main.c)

  add_library(${library} STATIC ${core} ${port})
  target_include_directories(${library} PUBLIC ${rtstone_root}/engine/include ${port_dir}/include)
  target_link_libraries(${library} PUBLIC rtstone_flags)
  # The core is freestanding; only the port may use what its kernel offers.
  set_source_files_properties(${core} PROPERTIES COMPILE_OPTIONS -ffreestanding)
  if(EXISTS ${port_dir}/port.cmake)
    include(${port_dir}/port.cmake) # may add to ${library}: definitions, libraries
  endif()

  # What the port has not written, behind it: an archive of its own, so that the port's is always found first.
  set(absent ${rtstone_root}/engine/absent/hooks.c)
  add_library(${library}_absent STATIC ${absent})
  set_source_files_properties(${absent} PROPERTIES COMPILE_OPTIONS -ffreestanding)
  target_link_libraries(${library}_absent PRIVATE ${library})
  target_link_libraries(${library} PUBLIC ${library}_absent)

  if(arg_PROGRAM)
    add_executable(${arg_PROGRAM} ${port_dir}/main.c)
    target_link_libraries(${arg_PROGRAM} PRIVATE ${library})
    if(NOT RTSTONE_SANITIZE)
      # One static file runs on any Linux of this architecture: over ssh, or alone in a RAM disk.
      target_link_options(${arg_PROGRAM} PRIVATE -static)
    endif()
  endif()
endfunction()

# Compiles the core as the smallest target would have it: 32-bit, no floating point, no C library, the template's port.
# Nothing is run; what it calls from outside is looked at by tests/integration/test_freestanding.py.
function(rtstone_add_portable_core)
  include(CheckCCompilerFlag)
  set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
  check_c_compiler_flag("-m32 -mgeneral-regs-only -ffreestanding" RTSTONE_HAS_M32)
  if(NOT RTSTONE_HAS_M32)
    message(STATUS "this compiler has no 32-bit target: the portable core is not checked")
    return()
  endif()
  rtstone_core_sources(core)
  add_library(rtstone_portable_core STATIC ${core})
  target_include_directories(rtstone_portable_core PRIVATE
    ${rtstone_root}/engine/include ${rtstone_root}/ports/template/include
    ${rtstone_root}/cmake/freestanding)
  target_compile_options(rtstone_portable_core PRIVATE
    -m32 -mgeneral-regs-only -ffreestanding -O2 -Wall -Wextra -Wconversion -Werror)
endfunction()

# rtstone_add_tests(PORT <port> FROM <folder or file>...): each test_*.c is one program and one test, each tool_*.c a program
# that the Python tests call (build/test/<tool>). All are linked with that port.
function(rtstone_add_tests)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "PORT" "FROM")
  foreach(folder IN LISTS arg_FROM)
    file(GLOB sources CONFIGURE_DEPENDS ${rtstone_root}/${folder}/test_*.c ${rtstone_root}/${folder}/tool_*.c)
    if(folder MATCHES "[.]c$")
      set(sources ${rtstone_root}/${folder})
    endif()
    foreach(source IN LISTS sources)
      cmake_path(GET source STEM name)
      set(program ${arg_PORT}_${name})
      if(name MATCHES "^tool_")
        set(program ${name})
      endif()
      add_executable(${program} ${source})
      target_link_libraries(${program} PRIVATE rtstone_engine_${arg_PORT} cmocka m)
      set(begin ${rtstone_root}/ports/${arg_PORT}/tests/begin.c)
      if(EXISTS ${begin} AND name MATCHES "^test_")
        target_sources(${program} PRIVATE ${begin}) # test_begin, of engine/tests/checks.h
      endif()
      # Tests run on the building machine: they may use POSIX, whatever the port.
      target_compile_definitions(${program} PRIVATE RTSTONE_SPEC_DIR="${rtstone_root}/spec" _POSIX_C_SOURCE=200809L)
      if(name MATCHES "^test_")
        add_test(NAME ${program} COMMAND ${program})
        set_tests_properties(${program} PROPERTIES TIMEOUT 120)
      endif()
    endforeach()
  endforeach()
endfunction()
