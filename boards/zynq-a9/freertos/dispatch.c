/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * FreeRTOS's dispatch and tick on the zynq-a9 board.
 */
#include "FreeRTOS.h"
#include "board.h"
#include "task.h"

void vApplicationFPUSafeIRQHandler(uint32_t acknowledged);

enum { CONTROL = 0x8, STATUS = 0xc, COMPARE = 0x10, COMPARE_HIGH = 0x14, INCREMENT = 0x18 };
enum { COUNTS = 1, COMPARES = 2, INTERRUPTS = 4, INCREMENTS = 8, EXPIRED = 1 };

static volatile uint32_t *timer(uint32_t offset)
{
    return (volatile uint32_t *)(BOARD_GLOBAL_TIMER + offset);
}

static void allow_more_urgent(void)
{
    __asm__ volatile("cpsie i" : : : "memory");
}

/** Called by the kernel's own interrupt entry, which has saved the registers, those of VFP too, and asked the interrupt controller. */
void vApplicationFPUSafeIRQHandler(uint32_t acknowledged)
{
    enum { INTID_MASK = 0x3ff };
    const uint32_t intid = acknowledged & INTID_MASK;
    if (intid == BOARD_TIMER_INTID) {
        board_timer_interrupt();
    } else if (intid == BOARD_TICK_INTID) {
        FreeRTOS_Tick_Handler();
    } else if (intid == BOARD_SECOND_TIMER_INTID) {
        allow_more_urgent();
        board_second_timer_interrupt();
    } else if (intid == BOARD_LINE_INTID) {
        allow_more_urgent();
        board_line_interrupt();
    }
}

void board_tick_setup(void)
{
    const uint32_t period = BOARD_HZ / configTICK_RATE_HZ;
    const uint64_t first = board_clock_read() + period;
    *timer(CONTROL) = COUNTS;
    *timer(STATUS) = EXPIRED;
    *timer(COMPARE) = (uint32_t)first;
    *timer(COMPARE_HIGH) = (uint32_t)(first >> 32);
    *timer(INCREMENT) = period;
    *timer(CONTROL) = COUNTS | COMPARES | INTERRUPTS | INCREMENTS;
    board_interrupt_enable(BOARD_TICK_INTID, BOARD_TICK_LEVEL);
}

void board_tick_clear(void)
{
    *timer(STATUS) = EXPIRED;
}
