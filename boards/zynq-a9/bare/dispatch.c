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
    __asm__ volatile("cpsie i" : : : "memory");
}

bool board_interrupts_off(void)
{
    uint32_t status;
    __asm__ volatile("mrs %0, cpsr\n\tcpsid i" : "=r"(status) : : "memory");
    return (status & (1u << 7)) == 0;
}

void board_interrupts_restore(bool on)
{
    if (on) {
        board_interrupts_on();
    }
}

/** The measured interrupt may come in while a load's is handled: interrupt.S has saved what returning needs. */
void board_bare_interrupt(void)
{
    enum { IAR = 0xc, EOIR = 0x10, INTID_MASK = 0x3ff };
    const uint32_t acknowledged = *board_register32(BOARD_GICC + IAR);
    const uint32_t intid = acknowledged & INTID_MASK;
    if (intid == BOARD_TIMER_INTID) {
        board_timer_interrupt();
    } else if (intid == BOARD_SECOND_TIMER_INTID) {
        board_interrupts_on();
        board_second_timer_interrupt();
    } else if (intid == BOARD_LINE_INTID) {
        board_interrupts_on();
        board_line_interrupt();
    }
    (void)board_interrupts_off();
    *(volatile uint32_t *)(BOARD_GICC + EOIR) = acknowledged;
}
