/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * RTEMS on the zynq-a9 board: the measured interrupt's handler and its reading at the vector, and the plan's memory, which RTEMS does not map.
 */
#include <bsp.h>
#include <bsp/irq.h>
#include <libcpu/arm-cp15.h>

#include "board.h"

#if defined(RTEMS_SMP)
#error                                                                                                                 \
    "the reading at the vector is left in a register that RTEMS has a use for on several processors: build it with RTEMS_SMP = False"
#endif

void board_interrupt_vector(void);

/* RTEMS' handlers have an argument. */

static void measured(void *unused)
{
    (void)unused;
    board_timer_interrupt();
}

static void second_timer(void *unused)
{
    (void)unused;
    board_second_timer_interrupt();
}

static void line(void *unused)
{
    (void)unused;
    board_line_interrupt();
}

/** Without a handler: one that RTEMS has installed gets its level. */
static void install(rtems_vector_number intid, uint32_t level, rtems_interrupt_handler handler)
{
    rtems_status_code status = rtems_interrupt_set_priority(intid, level);
    if (status == RTEMS_SUCCESSFUL && handler != NULL) {
        status = rtems_interrupt_handler_install(intid, "rtstone", RTEMS_INTERRUPT_UNIQUE, handler, NULL);
    }
    if (status != RTEMS_SUCCESSFUL) {
        board_fault("RTEMS installs no interrupt handler: INTID, status", intid, (uint64_t)status, 0);
    }
}

void board_init(void)
{
    (void)arm_cp15_set_translation_table_entries((void *)(uintptr_t)BOARD_PLAN_ADDRESS,
                                                 (void *)(uintptr_t)(BOARD_PLAN_ADDRESS + BOARD_PLAN_ROOM),
                                                 ARMV7_MMU_READ_ONLY);
    (void)arm_cp15_set_exception_handler(ARM_EXCEPTION_IRQ, board_interrupt_vector);
    install(BOARD_TICK_INTID, BOARD_TICK_LEVEL, NULL);
    install(BOARD_SECOND_TIMER_INTID, BOARD_TRAFFIC_LEVEL, second_timer);
    install(BOARD_LINE_INTID, BOARD_TRAFFIC_LEVEL, line);
    install(BOARD_TIMER_INTID, BOARD_TIMER_LEVEL, measured);
}
