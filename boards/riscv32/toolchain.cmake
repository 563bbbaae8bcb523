# SPDX-FileCopyrightText: 2026 rtstone contributors
# SPDX-License-Identifier: Apache-2.0
# The compiler of images for the riscv32 board. In version 2.2 of the instruction set the counters belong to RV32I, as its library has it.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(CMAKE_C_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_ASM_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS_INIT "-march=rv32imac -mabi=ilp32 -misa-spec=2.2")
set(CMAKE_ASM_FLAGS_INIT "-march=rv32imac -mabi=ilp32 -misa-spec=2.2")
set(RTSTONE_COMPILER_LIBRARY gcc)
