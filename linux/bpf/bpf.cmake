# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# The kernel-side split and the watching of threads: their BPF programs, and the library that loads them, where this machine can build both.
# RTSTONE_BPF=ON makes it an error that it cannot; OFF leaves it out. What is built for another machine (a guest) has it if RTSTONE_BPF_LIBRARIES names a folder with that
# machine's libraries, in lib/, and their headers, in include/.
set(RTSTONE_BPF AUTO CACHE STRING "kernel-side split by BPF programs: AUTO, ON or OFF")
set(RTSTONE_BPF_LIBRARIES "" CACHE PATH "libbpf, libelf and zlib of the machine that the engine is built for, if it is another one")
set(bpf_lacks "")
list(APPEND sources ${room}/bpf/split_join.c)
if(CMAKE_CROSSCOMPILING AND NOT RTSTONE_BPF_LIBRARIES)
  set(bpf_lacks "it is of another machine, and RTSTONE_BPF_LIBRARIES is not set")
elseif(NOT RTSTONE_BPF)
  set(bpf_lacks "RTSTONE_BPF is OFF")
elseif(RTSTONE_SANITIZE)
  set(bpf_lacks "it is linked with sanitizers")
else()
  find_program(RTSTONE_BPF_CLANG NAMES clang clang-19 clang-16 clang-15 clang-14)
  if(RTSTONE_BPF_LIBRARIES)
    set(bpf_lib PATHS ${RTSTONE_BPF_LIBRARIES}/lib NO_DEFAULT_PATH)
    set(bpf_include PATHS ${RTSTONE_BPF_LIBRARIES}/include NO_DEFAULT_PATH)
  endif()
  find_library(RTSTONE_LIBBPF libbpf.a ${bpf_lib})
  find_library(RTSTONE_LIBELF libelf.a ${bpf_lib})
  find_library(RTSTONE_LIBZ libz.a ${bpf_lib})
  find_path(RTSTONE_BPF_HEADERS bpf/libbpf.h ${bpf_include})
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
  list(APPEND sources ${room}/bpf/absent.c)
  target_compile_definitions(${library} PRIVATE "RTS_LINUX_NO_BPF=\"${bpf_lacks}\"")
else()
  list(APPEND sources ${room}/bpf/object.c ${room}/bpf/split.c ${room}/bpf/symbols.c ${room}/bpf/attach.c)
  target_link_libraries(${library} PUBLIC ${RTSTONE_LIBBPF} ${RTSTONE_LIBELF} ${RTSTONE_LIBZ})
  if(RTSTONE_BPF_LIBRARIES)
    target_include_directories(${library} SYSTEM PRIVATE ${RTSTONE_BPF_HEADERS})
  endif()
  # Headers of the kernel's interface lie in a folder of the building machine's architecture, which clang does not look into for target bpf.
  if(NOT TARGET rtstone_bpf)
    set(bpf_source ${rtstone_root}/probe/bpf)
    foreach(name split attach)
      set(bpf_object ${CMAKE_BINARY_DIR}/rtstone_${name}.bpf.o)
      add_custom_command(OUTPUT ${bpf_object}
        COMMAND ${RTSTONE_BPF_CLANG} -g -O2 -target bpf -Wall -Wextra -Werror -Wno-unused-parameter
          -ffile-prefix-map=${rtstone_root}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=build -ffile-prefix-map=${RTSTONE_BPF_HEADERS}=include
          -I${RTSTONE_BPF_HEADERS} -I/usr/include/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu -c ${bpf_source}/${name}.bpf.c -o ${bpf_object}
        DEPENDS ${bpf_source}/${name}.bpf.c ${bpf_source}/kernel.h ${bpf_source}/rtstone_${name}.h
        VERBATIM)
      list(APPEND bpf_objects ${bpf_object})
    endforeach()
    add_custom_target(rtstone_bpf DEPENDS ${bpf_objects})
    set_property(GLOBAL PROPERTY RTSTONE_BPF_OBJECT ${bpf_objects})
  endif()
  # They lie beside the engine, which looks for them there.
  add_dependencies(${library} rtstone_bpf)
endif()
