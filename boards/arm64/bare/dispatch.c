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

void board_virtual_timer_arm(void)
{
    const uint64_t on = board_traffic_due == UINT64_MAX ? 2u : 1u;
    __asm__ volatile("msr cntv_cval_el0, %0\n\t"
                     "msr cntv_ctl_el0, %1\n\t"
                     "isb"
                     :
                     : "r"(board_traffic_due), "r"(on)
                     : "memory");
}

/** Runs a load's handler so that the measured interrupt may preempt it: saves the registers that the return needs. */
static void run_below(void (*handler)(void))
{
    uint64_t link;
    uint64_t status;
    __asm__ volatile("mrs %0, elr_el1\n\tmrs %1, spsr_el1\n\tmsr daifclr, #2" : "=r"(link), "=r"(status) : : "memory");
    handler();
    __asm__ volatile("msr daifset, #2\n\tmsr elr_el1, %0\n\tmsr spsr_el1, %1" : : "r"(link), "r"(status) : "memory");
}

static void virtual_timer_interrupt(void)
{
    board_traffic_expired();
    board_virtual_timer_arm();
}

void board_bare_interrupt(void)
{
    enum { INTID_MASK = 0x3ff };
    const uint64_t entered = board_interrupt_entered();
    const uint32_t acknowledged = gic_acknowledge();
    const uint32_t intid = acknowledged & INTID_MASK;
    if (intid == BOARD_TIMER_INTID) {
        board_timer_interrupt(entered);
    } else if (intid == BOARD_TICK_INTID) {
        run_below(virtual_timer_interrupt);
    } else if (intid == BOARD_LINE_INTID) {
        run_below(board_line_interrupt);
    }
    gic_end(acknowledged);
}
