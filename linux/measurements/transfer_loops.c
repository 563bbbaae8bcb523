/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Programmed transfers of 8, 16, 32 and 64 bits: one access, or one pair of them, a turn. GCC 14 unrolls where GCC 12 does not, so that
 * one measurement would be of two loops: none may.
 */
#include "transfer_loops.h"

#define ONE_A_TURN _Pragma("GCC unroll 1")

#define LOOPS(bits)                                                                                                    \
    void rts_transfer_write_d##bits(volatile unsigned char *window, size_t bytes, uint64_t value)                      \
    {                                                                                                                  \
        volatile uint##bits##_t *to = (volatile uint##bits##_t *)(volatile void *)window;                              \
        ONE_A_TURN                                                                                                     \
        for (size_t i = 0; i < bytes / sizeof *to; i++) {                                                              \
            to[i] = (uint##bits##_t)value;                                                                             \
        }                                                                                                              \
    }                                                                                                                  \
    uint64_t rts_transfer_read_d##bits(const volatile unsigned char *window, size_t bytes)                             \
    {                                                                                                                  \
        const volatile uint##bits##_t *from = (const volatile uint##bits##_t *)(const volatile void *)window;          \
        uint64_t sum = 0;                                                                                              \
        ONE_A_TURN                                                                                                     \
        for (size_t i = 0; i < bytes / sizeof *from; i++) {                                                            \
            sum += from[i];                                                                                            \
        }                                                                                                              \
        return sum;                                                                                                    \
    }                                                                                                                  \
    void rts_transfer_copy_d##bits(volatile unsigned char *to, const volatile unsigned char *from, size_t bytes)       \
    {                                                                                                                  \
        volatile uint##bits##_t *there = (volatile uint##bits##_t *)(volatile void *)to;                               \
        const volatile uint##bits##_t *here = (const volatile uint##bits##_t *)(const volatile void *)from;            \
        ONE_A_TURN                                                                                                     \
        for (size_t i = 0; i < bytes / sizeof *there; i++) {                                                           \
            there[i] = here[i];                                                                                        \
        }                                                                                                              \
    }

LOOPS(8)
LOOPS(16)
LOOPS(32)
LOOPS(64)
