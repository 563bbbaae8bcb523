/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Start, as an RTEMS application: the initial task runs the engine, at a priority between the load and all that is measured.
 */
#include "start.h"

static void fatal(rtems_fatal_source source, bool always_false, rtems_fatal_code code)
{
    (void)always_false;
    board_fault("RTEMS ended: source and code of its fatal error", (uint64_t)source, (uint64_t)code, 0);
}

#define CONFIGURE_APPLICATION_NEEDS_CLOCK_DRIVER
#define CONFIGURE_APPLICATION_DOES_NOT_NEED_CONSOLE_DRIVER
#define CONFIGURE_APPLICATION_DISABLE_FILESYSTEM
#define CONFIGURE_MICROSECONDS_PER_TICK (1000000u / RTS_RTEMS_TICK_HZ)
#define CONFIGURE_MAXIMUM_TASKS 40
#define CONFIGURE_MAXIMUM_SEMAPHORES 64
#define CONFIGURE_MAXIMUM_MESSAGE_QUEUES 8
#define CONFIGURE_MESSAGE_BUFFER_MEMORY                                                                                \
    (8u * CONFIGURE_MESSAGE_BUFFERS_FOR_QUEUE(RTS_QUEUE_DEPTH, RTS_MESSAGE_BYTES_MAX))
#define CONFIGURE_MAXIMUM_PARTITIONS 4
#define CONFIGURE_EXTRA_TASK_STACKS (40u * RTS_RTEMS_STACK_BYTES)
#define CONFIGURE_IDLE_TASK_BODY idle
#define CONFIGURE_INIT_TASK_ENTRY_POINT run_engine
#define CONFIGURE_INIT_TASK_PRIORITY RTS_RTEMS_PRIORITY_ENGINE
#define CONFIGURE_INIT_TASK_STACK_SIZE RTS_RTEMS_ENGINE_STACK_BYTES
#define CONFIGURE_INIT_TASK_INITIAL_MODES RTEMS_DEFAULT_MODES
#define CONFIGURE_INITIAL_EXTENSIONS                                                                                   \
    {                                                                                                                  \
        .fatal = fatal                                                                                                 \
    }
#define CONFIGURE_RTEMS_INIT_TASKS_TABLE
#define CONFIGURE_INIT
#include <rtems/confdefs.h>
