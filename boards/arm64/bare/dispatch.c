/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Masking and dispatch of interrupts where no kernel does it.
 */
#include "board.h"

void board_bare_interrupt(void);

void board_interrupts_on(void)
{
    __asm__ volatile("msr daifclr, #2" : : : "memory");
}

bool board_interrupts_off(void)
{
    uint64_t masks;
    __asm__ volatile("mrs %0, daif\n\tmsr daifset, #2" : "=r"(masks) : : "memory");
    return (masks & (1u << 7)) == 0;
}

void board_interrupts_restore(bool on)
{
    if (on) {
        board_interrupts_on();
    }
}

void board_bare_interrupt(void)
{
    enum { IAR = 0xc, EOIR = 0x10, INTID_MASK = 0x3ff };
    const uint64_t entered = board_interrupt_entered();
    const uint32_t acknowledged = *(volatile uint32_t *)(uintptr_t)(BOARD_GICC + IAR);
    if ((acknowledged & INTID_MASK) == BOARD_TIMER_INTID) {
        board_timer_interrupt(entered);
    }
    *(volatile uint32_t *)(uintptr_t)(BOARD_GICC + EOIR) = acknowledged;
}
