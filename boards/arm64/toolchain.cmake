# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# The compiler of images for the arm64 board: no floating-point registers in C, no unaligned access (the MMU is off).
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_ASM_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS_INIT "-mcpu=cortex-a57 -mgeneral-regs-only -mstrict-align -fno-pic -fno-pie -mno-outline-atomics -fno-stack-protector")
set(CMAKE_ASM_FLAGS_INIT "-mcpu=cortex-a57")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-no-pie")
set(RTSTONE_COMPILER_LIBRARY gcc)
