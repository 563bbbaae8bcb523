/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The virtual timer, where it serves two: a kernel's tick, and a load. That kernel's dispatch defines BOARD_TICK_HZ, and includes this once.
 */
#ifndef RTSTONE_BOARD_TICK_H
#define RTSTONE_BOARD_TICK_H

#include "board.h"

static uint64_t tick_due;

static uint64_t virtual_now(void)
{
    uint64_t now;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(now) : : "memory");
    return now;
}

static uint64_t tick_period(void)
{
    static uint64_t period;
    if (period == 0) {
        period = board_clock_hz() / BOARD_TICK_HZ;
    }
    return period;
}

void board_tick_setup(void)
{
    tick_due = virtual_now() + tick_period();
    board_interrupt_enable(BOARD_TICK_INTID, BOARD_TICK_LEVEL);
    board_virtual_timer_arm();
}

void board_tick_stop(void)
{
    tick_due = UINT64_MAX;
    board_virtual_timer_arm();
}

void board_virtual_timer_arm(void)
{
    const uint64_t due = board_traffic_due < tick_due ? board_traffic_due : tick_due;
    __asm__ volatile("msr cntv_cval_el0, %0\n\t"
                     "msr cntv_ctl_el0, %1\n\t"
                     "isb"
                     :
                     : "r"(due), "r"(UINT64_C(1))
                     : "memory");
}

void board_tick_clear(void)
{
    tick_due += tick_period();
    board_virtual_timer_arm();
}

#endif
