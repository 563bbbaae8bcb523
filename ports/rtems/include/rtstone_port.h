/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the engine sees of the RTEMS port: its objects, each an identifier of the classic API; sizes and clocks are the board's.
 */
#ifndef RTSTONE_RTEMS_PORT_H
#define RTSTONE_RTEMS_PORT_H

#include <rtems.h>
#include <stdatomic.h>

#include "board_port.h"

#define RTS_PORT_NAME "rtems"
#define RTS_RTEMS_API "classic"
#define RTS_RTEMS_PRIORITIES "top 10, high 20, middle 30, low 40, engine 50, load 60, idle 255 of 0 to 255"
#define RTS_PORT_DELETION                                                                                              \
    "a task deletes itself (rtems_task_exit); RTEMS takes its stack and control block back at the next creation of a " \
    "task, which is in the window"

struct rts_thread {
    rtems_id id;
    rtems_id end;         /**< a semaphore: released at the thread's end, for the waiting task */
    atomic_bool awaited;  /**< a task waits, or is about to */
    atomic_bool returned; /**< entry has returned */
    void (*entry)(void *);
    void *arg;
};

struct rts_semaphore {
    rtems_id id;
};

struct rts_mutex {
    rtems_id id;
};

struct rts_queue {
    rtems_id id;
    uint32_t bytes; /**< of a message */
};

struct rts_blocks {
    rtems_id id;
    _Alignas(8) unsigned char memory[16 * 64]; /**< RTS_BLOCK_COUNT blocks of RTS_BLOCK_BYTES */
};

#endif
