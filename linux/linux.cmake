# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# rtstone_add_linux(<library>): adds the code for Linux to an engine: the functions that a port needs from the system (system.h), its loads, its
# measurements, BPF. The port's own list determines which of the measurements the engine has; its list of loads (RTS_PORT_LOADS) includes
# linux_loads.def.
function(rtstone_add_linux library)
  set(room ${rtstone_root}/linux)
  file(GLOB sources CONFIGURE_DEPENDS ${room}/*.c ${room}/loads/*.c ${room}/measurements/*.c)
  include(${room}/bpf/bpf.cmake) # adds to sources
  target_sources(${library} PRIVATE ${sources})
  # These files see more than POSIX.
  set_source_files_properties(${sources} PROPERTIES COMPILE_DEFINITIONS _GNU_SOURCE)
  target_include_directories(${library} PUBLIC ${room} PRIVATE ${room}/loads ${rtstone_root}/engine/measurements)
  target_compile_definitions(${library} PRIVATE RTS_LINUX)
endfunction()
