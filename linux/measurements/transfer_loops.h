/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The accesses of a programmed transfer: one instruction of the stated width for each, neither merged nor dropped by the compiler
 * (tests/integration/test_disassembly.py reads the machine code). `bytes` is a multiple of 8, all addresses are aligned to 8.
 */
#ifndef RTS_POSIX_TRANSFER_LOOPS_H
#define RTS_POSIX_TRANSFER_LOOPS_H

#include <stddef.h>
#include <stdint.h>

#define RTS_TRANSFER_LOOPS(bits)                                                                                       \
    /* Register to window. */                                                                                          \
    void rts_transfer_write_d##bits(volatile unsigned char *window, size_t bytes, uint64_t value);                     \
    /* Window to register: the sum of all that was read. */                                                            \
    uint64_t rts_transfer_read_d##bits(const volatile unsigned char *window, size_t bytes);                            \
    /* Window to memory, memory to window, window to window. Either side may be the window, so both are volatile. */   \
    void rts_transfer_copy_d##bits(volatile unsigned char *to, const volatile unsigned char *from, size_t bytes);

RTS_TRANSFER_LOOPS(8)
RTS_TRANSFER_LOOPS(16)
RTS_TRANSFER_LOOPS(32)
RTS_TRANSFER_LOOPS(64)

#undef RTS_TRANSFER_LOOPS

#endif
