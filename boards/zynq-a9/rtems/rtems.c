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

static void interrupt(void *unused)
{
    (void)unused;
    board_timer_interrupt();
}

static void require(rtems_status_code status, const char *what)
{
    if (status != RTEMS_SUCCESSFUL) {
        board_fault(what, (uint64_t)status, 0, 0);
    }
}

void board_init(void)
{
    (void)arm_cp15_set_translation_table_entries((void *)(uintptr_t)BOARD_PLAN_ADDRESS,
                                                 (void *)(uintptr_t)(BOARD_PLAN_ADDRESS + BOARD_PLAN_ROOM),
                                                 ARMV7_MMU_READ_ONLY);
    (void)arm_cp15_set_exception_handler(ARM_EXCEPTION_IRQ, board_interrupt_vector);
    require(rtems_interrupt_set_priority(BOARD_TIMER_INTID, BOARD_TIMER_LEVEL),
            "RTEMS gives no priority to an interrupt");
    require(rtems_interrupt_handler_install(BOARD_TIMER_INTID, "rtstone", RTEMS_INTERRUPT_UNIQUE, interrupt, NULL),
            "RTEMS installs no interrupt handler");
}
