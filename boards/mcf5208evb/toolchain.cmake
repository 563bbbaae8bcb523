# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# The compiler of images for the mcf5208evb board. Its library is for CPUs with more instructions: arithmetic.c stands in.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR m68k)
set(CMAKE_C_COMPILER m68k-linux-gnu-gcc)
set(CMAKE_ASM_COMPILER m68k-linux-gnu-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS_INIT "-mcpu=5208 -fno-pic -fno-pie -fno-stack-protector")
set(CMAKE_ASM_FLAGS_INIT "-mcpu=5208")
set(CMAKE_EXE_LINKER_FLAGS_INIT "-no-pie")
set(RTSTONE_COMPILER_LIBRARY "")
