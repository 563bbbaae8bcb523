/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Masking and dispatch of interrupts where no kernel does it.
 */
#include "board.h"

void board_interrupts_on(void)
{
    __asm__ volatile("csrsi mstatus, %0" : : "i"(BOARD_MSTATUS_MIE) : "memory");
}

bool board_interrupts_off(void)
{
    uint32_t before;
    __asm__ volatile("csrrci %0, mstatus, %1" : "=r"(before) : "i"(BOARD_MSTATUS_MIE) : "memory");
    return (before & BOARD_MSTATUS_MIE) != 0;
}

void board_interrupts_restore(bool on)
{
    if (on) {
        board_interrupts_on();
    }
}

void board_external_handler(void);
void board_second_timer_handler(void);

__attribute__((interrupt("machine"))) void board_external_handler(void)
{
    const uint32_t entered = board_interrupt_entered();
    const uint32_t source = board_claim();
    if (source == BOARD_TIMER_SOURCE) {
        board_timer_interrupt(entered);
    } else if (source == BOARD_LINE_SOURCE) {
        board_run_below(board_line_interrupt);
    }
    board_complete(source);
}

__attribute__((interrupt("machine"))) void board_second_timer_handler(void)
{
    board_run_below(board_second_timer_interrupt);
}
