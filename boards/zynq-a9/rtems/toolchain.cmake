# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# The compiler of RTEMS images for the zynq-a9 board: that of the RTEMS which the user has installed, with the flags that its board support package names.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER $ENV{RTEMS_PREFIX}/bin/arm-rtems6-gcc)
set(CMAKE_ASM_COMPILER $ENV{RTEMS_PREFIX}/bin/arm-rtems6-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
file(STRINGS $ENV{RTEMS_PREFIX}/lib/pkgconfig/arm-rtems6-xilinx_zynq_a9_qemu.pc rtems_abi REGEX "^ABI_FLAGS=")
string(REPLACE "ABI_FLAGS=" "" rtems_abi "${rtems_abi}")
set(CMAKE_C_FLAGS_INIT "${rtems_abi}")
set(CMAKE_ASM_FLAGS_INIT "${rtems_abi}")
set(RTSTONE_COMPILER_LIBRARY "") # -qrtems names it
