/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the ports to RTEMS share in their start: the task of the engine, and the idle task. Only the file that configures RTEMS
 * includes it.
 */
#ifndef RTSTONE_RTEMS_START_H
#define RTSTONE_RTEMS_START_H

#include <bspopts.h>

#include "rtems_port.h"
#include "rtstone/engine.h"

#if defined(CLOCK_DRIVER_USE_FAST_IDLE) && CLOCK_DRIVER_USE_FAST_IDLE
#error                                                                                                                 \
    "this board support package counts ticks that have not passed while it is idle: build it with CLOCK_DRIVER_USE_FAST_IDLE = False"
#endif

static rtems_task run_engine(rtems_task_argument unused)
{
    (void)unused;
    board_init();
    board_power_off(rts_engine_run(NULL) != RTS_EXIT_OK);
}

/** RTEMS' own idle task halts the processor, where runs would not be the same to the byte. */
static void *idle(uintptr_t unused)
{
    (void)unused;
    for (;;) {
        __asm__ volatile("" : : : "memory");
    }
    return NULL; /* which its type asks for */
}

#endif
