# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# The kernel-side split and the watching of threads: their BPF programs, which the engine carries and loads without a library (bpftool's light
# skeletons), where this machine can build them. RTSTONE_BPF=ON makes it an error that it cannot; OFF leaves them out. The programs are the same
# for every machine that counts its bytes from the low end.
set(RTSTONE_BPF AUTO CACHE STRING "kernel-side split by BPF programs: AUTO, ON or OFF")
set(bpf_lacks "")
list(APPEND sources ${room}/bpf/split_join.c)
if(NOT RTSTONE_BPF)
  set(bpf_lacks "RTSTONE_BPF is OFF")
else()
  # These look at the building machine alone, whatever is built for.
  find_program(RTSTONE_BPF_CLANG NAMES clang clang-19 clang-16 clang-15 clang-14)
  find_program(RTSTONE_BPFTOOL NAMES bpftool HINTS /usr/sbin /sbin)
  find_path(RTSTONE_BPF_HEADERS bpf/skel_internal.h HINTS /usr/include NO_CMAKE_FIND_ROOT_PATH)
  # program or file of Debian -> its package
  foreach(pair "RTSTONE_BPF_CLANG:clang" "RTSTONE_BPFTOOL:bpftool" "RTSTONE_BPF_HEADERS:libbpf-dev")
    string(REPLACE ":" ";" pair ${pair})
    list(GET pair 0 found)
    list(GET pair 1 package)
    if(NOT ${found})
      list(APPEND bpf_lacks ${package})
    endif()
  endforeach()
  if(bpf_lacks)
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
  foreach(name calls ring split symbols trails page_faults attach attach_lines attach_programs)
    list(APPEND sources ${room}/bpf/${name}.c)
  endforeach()
  set(bpf_made ${CMAKE_BINARY_DIR}/bpf)
  target_include_directories(${library} SYSTEM PRIVATE ${bpf_made})
  # Behind the C library's of the machine that is built for: of this folder only libbpf's headers are wanted.
  target_compile_options(${library} PRIVATE -idirafter ${RTSTONE_BPF_HEADERS})
  if(NOT TARGET rtstone_bpf)
    set(bpf_source ${rtstone_root}/probe/bpf)
    foreach(name split attach)
      set(bpf_object ${bpf_made}/rtstone_${name}.bpf.o)
      set(bpf_skeleton ${bpf_made}/rtstone_${name}.skel.h)
      # Headers of the kernel's interface lie in a folder of the building machine's architecture, which clang does not look into for target bpf.
      add_custom_command(OUTPUT ${bpf_skeleton}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${bpf_made}
        COMMAND ${RTSTONE_BPF_CLANG} -g -O2 -target bpf -Wall -Wextra -Werror -Wno-unused-parameter
          -ffile-prefix-map=${rtstone_root}=. -ffile-prefix-map=${CMAKE_BINARY_DIR}=build -ffile-prefix-map=${RTSTONE_BPF_HEADERS}=include
          -I${RTSTONE_BPF_HEADERS} -I/usr/include/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu -c ${bpf_source}/${name}.bpf.c -o ${bpf_object}
        COMMAND ${RTSTONE_BPFTOOL} gen skeleton -L ${bpf_object} name rts_${name}_bpf > ${bpf_skeleton}.part
        COMMAND ${CMAKE_COMMAND} -E rename ${bpf_skeleton}.part ${bpf_skeleton}
        DEPENDS ${bpf_source}/${name}.bpf.c ${bpf_source}/kernel.h ${bpf_source}/held.h ${bpf_source}/series.h ${bpf_source}/cycle.h ${bpf_source}/trail.h ${bpf_source}/work.h ${bpf_source}/threads.h ${bpf_source}/rtstone_split.h ${bpf_source}/rtstone_${name}.h
        VERBATIM)
      list(APPEND bpf_skeletons ${bpf_skeleton})
    endforeach()
    add_custom_target(rtstone_bpf DEPENDS ${bpf_skeletons})
  endif()
  add_dependencies(${library} rtstone_bpf)
endif()
