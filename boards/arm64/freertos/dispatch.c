/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * FreeRTOS's dispatch and tick on the arm64 board, in C or in Rust.
 */
#include "board.h"
#include "rtstone/port.h"

void vApplicationIRQHandler(uint32_t acknowledged);

static uint64_t tick_due;

static uint64_t virtual_now(void)
{
    uint64_t now;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(now) : : "memory");
    return now;
}

static void allow_more_urgent(void)
{
    __asm__ volatile("msr daifclr, #2" : : : "memory");
}

static void allow_none(void)
{
    __asm__ volatile("msr daifset, #2\n\tisb" : : : "memory");
}

/** The virtual timer serves two: the kernel's tick, and a load. */
static void virtual_timer_interrupt(void)
{
    if (virtual_now() >= board_traffic_due) {
        allow_more_urgent();
        board_traffic_expired();
        allow_none();
    }
    if (virtual_now() >= tick_due) {
#ifndef configCLEAR_TICK_INTERRUPT /* the kernel's handler does not */
        board_tick_clear();
#endif
        FreeRTOS_Tick_Handler();
    } else {
        board_virtual_timer_arm();
    }
}

/** Called by the kernel's own interrupt entry, which has saved the registers and asked the interrupt controller. */
void vApplicationIRQHandler(uint32_t acknowledged)
{
    enum { INTID_MASK = 0x3ff };
    const uint64_t entered = board_interrupt_entered();
    const uint32_t intid = acknowledged & INTID_MASK;
    if (intid == BOARD_TIMER_INTID) {
        board_timer_interrupt(entered);
    } else if (intid == BOARD_TICK_INTID) {
        virtual_timer_interrupt();
    } else if (intid == BOARD_LINE_INTID) {
        allow_more_urgent();
        board_line_interrupt();
    }
}

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
