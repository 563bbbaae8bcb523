/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stacks for the tasks of a kernel that takes its callers': a bit each, set while it is free.
 */
#include <stdatomic.h>

#include "board_api.h"

static _Alignas(16) unsigned char stacks[BOARD_STACKS][BOARD_STACK_BYTES] __attribute__((section(".bss.noinit")));
static _Atomic uint32_t stacks_free = UINT32_MAX;
_Static_assert(BOARD_STACKS == 32u, "a bit for each");

void *board_stack_take(void)
{
    uint32_t free = atomic_load_explicit(&stacks_free, memory_order_relaxed);
    do {
        if (free == 0) {
            return NULL;
        }
    } while (!atomic_compare_exchange_weak_explicit(&stacks_free, &free, free & (free - 1u), memory_order_acquire,
                                                    memory_order_relaxed));
    return stacks[__builtin_ctz(free)];
}

void board_stack_give(void *stack)
{
    const size_t number = (size_t)((unsigned char *)stack - stacks[0]) / BOARD_STACK_BYTES;
    (void)atomic_fetch_or_explicit(&stacks_free, UINT32_C(1) << number, memory_order_release);
}
