/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the engine sees of the port to `rt`: its objects; sizes and clocks are the board's.
 */
#ifndef RTSTONE_RT_PORT_H
#define RTSTONE_RT_PORT_H

#include <rt/mutex.h>
#include <rt/pool.h>
#include <rt/queue.h>
#include <rt/sem.h>
#include <rt/task.h>
#include <stdatomic.h>

#include "board_port.h"

#define RTS_PORT_NAME "rt"
#define RTS_PORT_SLICES
#define RTS_PORT_DELETION                                                                                              \
    "rt makes tasks before it starts: a task that has ended is given a function and a stack and restarted "            \
    "(rt_task_pend_restart); it ends by rt_task_exit, and join takes the stack back, outside of the window"

/** A task, on a stack of the port's. */
struct rts_thread {
    struct rt_task task;
    struct rt_sem end;    /**< posted at the thread's end, for the waiting task */
    atomic_bool awaited;  /**< a task waits, or is about to */
    atomic_bool returned; /**< entry has returned */
    void *stack;
    void (*entry)(void *);
    void *arg;
};

struct rts_semaphore {
    struct rt_sem sem;
};

/** A mutex of rt always inherits; without inheritance: a semaphore that holds one. */
struct rts_mutex {
    bool inherits;
    struct rt_mutex mutex;
    struct rt_sem sem;
};

struct rts_queue {
    struct rt_queue queue;
    rt_atomic_uchar slots[8];         /**< RTS_QUEUE_DEPTH */
    _Alignas(8) uint8_t data[8 * 16]; /**< RTS_QUEUE_DEPTH messages of RTS_MESSAGE_BYTES_MAX */
};

struct rts_blocks {
    struct rt_pool pool;
    void *free[16];                      /**< RTS_BLOCK_COUNT */
    _Alignas(8) uint8_t memory[16 * 64]; /**< as many blocks of RTS_BLOCK_BYTES */
};

#endif
