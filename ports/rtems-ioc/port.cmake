# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# What the port to RTEMS inside an EPICS IOC adds to its engine library: the port to RTEMS' classic API, EPICS base and libbsd from the user's
# installations, the IOC, and the load of its clients.
include(${rtstone_root}/ports/rtems/port.cmake)
file(GLOB common_sources CONFIGURE_DEPENDS ${rtstone_root}/ports/rtems/*.c)
list(FILTER common_sources EXCLUDE REGEX "/main[.]c$")
target_sources(${library} PRIVATE ${common_sources} ${rtems_board}/rtems/rtems.c)

set(base $ENV{EPICS_BASE})
set(base_target RTEMS-xilinx_zynq_a9_qemu)
set(base_includes ${base}/include ${base}/include/os/RTEMS ${base}/include/compiler/gcc)
add_compile_options(-ffile-prefix-map=${base}=epics-base)

# Record types and device support, registered by a file that base's own tool writes.
file(GLOB register_tool ${base}/bin/*/registerRecordDeviceDriver.pl)
list(GET register_tool 0 register_tool)
separate_arguments(flags UNIX_COMMAND "${CMAKE_C_FLAGS}")
set(registers ${CMAKE_CURRENT_BINARY_DIR}/softIoc_registerRecordDeviceDriver)
list(TRANSFORM base_includes PREPEND -I OUTPUT_VARIABLE base_options)
add_custom_command(OUTPUT ${registers}.o
  COMMAND perl ${register_tool} ${base}/dbd/softIoc.dbd softIoc_registerRecordDeviceDriver > ${registers}.cpp
  COMMAND $ENV{RTEMS_PREFIX}/bin/arm-rtems6-g++ ${flags} -O2 -I${rtems_libraries}/include ${base_options} -c ${registers}.cpp -o ${registers}.o
  VERBATIM)

set(ioc ${rtstone_root}/ioc)
set(client_sources arguments.c caput.c camonitor.c channels.c loopback.c records.c remote.c)
list(TRANSFORM client_sources PREPEND ${ioc}/clients/)
target_sources(${library} PRIVATE ${client_sources} ${ioc}/inside/describe.c ${ioc}/inside/parties_rtems.c
  ${ioc}/support/standing.c ${ioc}/support/standing_rtems.c ${port_dir}/definitions.S)
target_sources(${library} INTERFACE ${registers}.o)
set(definitions "-DRTS_SOFTIOC_DBD=\"${base}/dbd/softIoc.dbd\"")
if("RTS_RTEMS_IOC_LINK" IN_LIST RTSTONE_DEFINES) # the board has link.c
  target_sources(${library} PRIVATE ${ioc}/inside/account.c)
  list(APPEND definitions "-DRTS_ACCOUNT_DBD=\"${ioc}/support/account.dbd\"" "-DRTS_ACCOUNT_DB=\"${ioc}/database/account.db\"")
endif()
set_source_files_properties(${port_dir}/definitions.S PROPERTIES COMPILE_OPTIONS "${definitions}")
set(ioc_system rtems)
set(ioc_loads rtems_ioc_loads.def)
include(${ioc}/load/load.cmake) # adds to ${library}
target_include_directories(${library} PRIVATE ${port_dir} ${ioc} ${ioc}/include)
target_include_directories(${library} SYSTEM PUBLIC ${base_includes})
target_compile_definitions(${library} PUBLIC _GNU_SOURCE)
set(base_libraries dbRecStd dbCore ca Com)
list(TRANSFORM base_libraries REPLACE "(.+)" "${base}/lib/${base_target}/lib\\1.a")
target_link_libraries(${library} PUBLIC -Wl,--start-group ${base_libraries} -lbsd -lstdc++ -lm -lz -Wl,--end-group)
# As RTEMS' own flags have it: libbsd has parts that call what it does not have.
target_link_options(${library} PUBLIC -Wl,--gc-sections)
