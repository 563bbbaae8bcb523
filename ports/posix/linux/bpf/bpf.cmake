# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# The kernel-side split: its BPF programs, and the library that loads them, where this machine can build both. RTSTONE_BPF=ON makes it an
# error that it cannot; OFF leaves it out. What is built for another machine (a guest) never has it: it is to depend on nothing.
set(RTSTONE_BPF AUTO CACHE STRING "kernel-side split by BPF programs: AUTO, ON or OFF")
set(bpf_lacks "")
if(CMAKE_CROSSCOMPILING)
  set(bpf_lacks "it is of a guest, whose engine depends on nothing")
elseif(NOT RTSTONE_BPF)
  set(bpf_lacks "RTSTONE_BPF is OFF")
elseif(RTSTONE_SANITIZE)
  set(bpf_lacks "it is linked with sanitizers")
else()
  find_program(RTSTONE_BPF_CLANG NAMES clang clang-19 clang-16 clang-15 clang-14)
  find_library(RTSTONE_LIBBPF libbpf.a)
  find_library(RTSTONE_LIBELF libelf.a)
  find_library(RTSTONE_LIBZ libz.a)
  find_path(RTSTONE_BPF_HEADERS bpf/libbpf.h)
  # program or file of Debian -> its package
  foreach(pair "RTSTONE_BPF_CLANG:clang" "RTSTONE_LIBBPF:libbpf-dev" "RTSTONE_BPF_HEADERS:libbpf-dev" "RTSTONE_LIBELF:libelf-dev" "RTSTONE_LIBZ:zlib1g-dev")
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 found)
    list(GET pair 1 package)
    if(NOT ${found})
      list(APPEND bpf_lacks ${package})
    endif()
  endforeach()
  if(bpf_lacks)
    list(REMOVE_DUPLICATES bpf_lacks)
    list(JOIN bpf_lacks " " bpf_lacks)
    set(bpf_lacks "install ${bpf_lacks}, then build it again")
  endif()
endif()
if(RTSTONE_BPF STREQUAL "ON" AND bpf_lacks)
  message(FATAL_ERROR "the engine cannot be built with BPF: ${bpf_lacks}")
endif()

if(bpf_lacks)
  message(STATUS "the engine is built without BPF: ${bpf_lacks}")
  list(APPEND system_sources ${port_dir}/linux/bpf/absent.c)
  target_compile_definitions(${library} PRIVATE "RTS_POSIX_NO_BPF=\"${bpf_lacks}\"")
else()
  list(APPEND system_sources ${port_dir}/linux/bpf/split.c)
  target_link_libraries(${library} PUBLIC ${RTSTONE_LIBBPF} ${RTSTONE_LIBELF} ${RTSTONE_LIBZ})
  # Headers of the kernel's interface lie in a folder of the machine's architecture, which clang does not look into for target bpf.
  if(NOT TARGET rtstone_bpf)
    set(bpf_object ${CMAKE_BINARY_DIR}/rtstone_split.bpf.o)
    set(bpf_source ${rtstone_root}/probe/bpf)
    add_custom_command(OUTPUT ${bpf_object}
      COMMAND ${RTSTONE_BPF_CLANG} -g -O2 -target bpf -Wall -Wextra -Werror -Wno-unused-parameter
        -ffile-prefix-map=${rtstone_root}=.
        -I${RTSTONE_BPF_HEADERS} -I/usr/include/${CMAKE_LIBRARY_ARCHITECTURE} -c ${bpf_source}/split.bpf.c -o ${bpf_object}
      DEPENDS ${bpf_source}/split.bpf.c ${bpf_source}/kernel.h ${bpf_source}/rtstone_split.h
      VERBATIM)
    add_custom_target(rtstone_bpf DEPENDS ${bpf_object})
    set_property(GLOBAL PROPERTY RTSTONE_BPF_OBJECT ${bpf_object})
  endif()
  # It lies beside the engine, which looks for it there.
  add_dependencies(${library} rtstone_bpf)
endif()
