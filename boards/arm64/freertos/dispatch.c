/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * FreeRTOS's dispatch and tick on the arm64 board, in C or in Rust.
 */
#include "board.h"
#include "rtstone/port.h"

#define BOARD_TICK_HZ configTICK_RATE_HZ
#include "board_tick.h"

void vApplicationIRQHandler(uint32_t acknowledged);

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
