/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Masking and dispatch of interrupts where no kernel does it.
 */
#include "board.h"

enum { MSTATUS_MIE = 8 };

void board_interrupts_on(void)
{
    __asm__ volatile("csrsi mstatus, %0" : : "i"(MSTATUS_MIE) : "memory");
}

bool board_interrupts_off(void)
{
    uint32_t before;
    __asm__ volatile("csrrci %0, mstatus, %1" : "=r"(before) : "i"(MSTATUS_MIE) : "memory");
    return (before & MSTATUS_MIE) != 0;
}

void board_interrupts_restore(bool on)
{
    if (on) {
        board_interrupts_on();
    }
}

/** Runs a load's handler so that the measured interrupt, and no other, may come in between: what returning from it needs is saved. */
static void run_below(void (*handler)(void))
{
    uint32_t address;
    uint32_t status;
    uint32_t others = 1u << BOARD_CAUSE_SECOND_TIMER;
    board_threshold(BOARD_LINE_LEVEL);
    __asm__ volatile("csrr %0, mepc\n\tcsrr %1, mstatus\n\tcsrrc %2, mie, %2\n\tcsrsi mstatus, %3"
                     : "=&r"(address), "=&r"(status), "+&r"(others)
                     : "i"(MSTATUS_MIE)
                     : "memory");
    handler();
    others &= 1u << BOARD_CAUSE_SECOND_TIMER; /* as it was, unless the handler ended it, which none does */
    __asm__ volatile("csrci mstatus, %3\n\tcsrw mepc, %0\n\tcsrw mstatus, %1\n\tcsrs mie, %2"
                     :
                     : "r"(address), "r"(status), "r"(others), "i"(MSTATUS_MIE)
                     : "memory");
    board_threshold(0);
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
        run_below(board_line_interrupt);
    }
    board_complete(source);
}

__attribute__((interrupt("machine"))) void board_second_timer_handler(void)
{
    run_below(board_second_timer_interrupt);
}
