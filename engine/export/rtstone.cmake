# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# The engine as the library `rtstone`, for a CMake project: include() this file behind project(), with the language C.
#
# RTSTONE_PORT: the folder of your port (default: port/ beside this file). Its main.c is left to your program.
cmake_minimum_required(VERSION 3.16)
set(RTSTONE_PORT ${CMAKE_CURRENT_LIST_DIR}/port CACHE PATH "the folder of the port of the engine")

file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/sources.txt rtstone_core)
list(TRANSFORM rtstone_core PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
file(GLOB rtstone_port CONFIGURE_DEPENDS ${RTSTONE_PORT}/*.c)
list(FILTER rtstone_port EXCLUDE REGEX "/main\\.c$")

add_library(rtstone STATIC ${rtstone_core} ${rtstone_port})
target_include_directories(rtstone PUBLIC ${CMAKE_CURRENT_LIST_DIR}/engine/include ${RTSTONE_PORT}/include)
set_target_properties(rtstone PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON)
# An archive of its own, behind the port's: the optional hooks that your port leaves out.
set(rtstone_absent ${CMAKE_CURRENT_LIST_DIR}/engine/absent/hooks.c)
add_library(rtstone_absent STATIC ${rtstone_absent})
set_target_properties(rtstone_absent PROPERTIES C_STANDARD 11 C_STANDARD_REQUIRED ON)
target_link_libraries(rtstone_absent PRIVATE rtstone)
target_link_libraries(rtstone PUBLIC rtstone_absent)
# The core is freestanding; only the port may use what its kernel offers.
set_source_files_properties(${rtstone_core} ${rtstone_absent} PROPERTIES COMPILE_OPTIONS -ffreestanding)
