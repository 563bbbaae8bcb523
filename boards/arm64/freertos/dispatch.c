/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * FreeRTOS's dispatch and tick on the arm64 board.
 */
#include "FreeRTOS.h"
#include "board.h"
#include "task.h"

void vApplicationIRQHandler(uint32_t acknowledged);

/** Called by the kernel's own interrupt entry, which has saved the registers and asked the interrupt controller. */
void vApplicationIRQHandler(uint32_t acknowledged)
{
    enum { INTID_MASK = 0x3ff };
    const uint64_t entered = board_interrupt_entered();
    const uint32_t intid = acknowledged & INTID_MASK;
    if (intid == BOARD_TIMER_INTID) {
        board_timer_interrupt(entered);
    } else if (intid == BOARD_TICK_INTID) {
        FreeRTOS_Tick_Handler();
    }
}

static uint64_t tick_due;

static uint64_t tick_period(void)
{
    static uint64_t period;
    if (period == 0) {
        period = board_clock_hz() / configTICK_RATE_HZ;
    }
    return period;
}

void board_tick_setup(void)
{
    uint64_t now;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(now) : : "memory");
    tick_due = now + tick_period();
    board_interrupt_enable(BOARD_TICK_INTID, BOARD_TICK_LEVEL);
    __asm__ volatile("msr cntv_cval_el0, %0\n\t"
                     "msr cntv_ctl_el0, %1\n\t"
                     "isb"
                     :
                     : "r"(tick_due), "r"(UINT64_C(1))
                     : "memory");
}

void board_tick_clear(void)
{
    tick_due += tick_period();
    __asm__ volatile("msr cntv_cval_el0, %0\n\tisb" : : "r"(tick_due) : "memory");
}
