/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the engine sees of the ThreadX port: its objects; sizes and clocks are the board's.
 */
#ifndef RTSTONE_THREADX_PORT_H
#define RTSTONE_THREADX_PORT_H

#include <stdatomic.h>
#include <tx_api.h>

#include "board_port.h"

#define RTS_PORT_NAME "threadx"
#define RTS_PORT_DELETION                                                                                              \
    "a thread that returns is complete; its join deletes it (tx_thread_delete) and takes its stack back, outside of "  \
    "the window"

/** A thread, on a stack of the board's. */
struct rts_thread {
    TX_THREAD thread;
    TX_SEMAPHORE end;     /**< put at the thread's end, for the waiting task */
    atomic_bool awaited;  /**< a task waits, or is about to */
    atomic_bool returned; /**< entry has returned */
    void *stack;
    void (*entry)(void *);
    void *arg;
};

struct rts_semaphore {
    TX_SEMAPHORE semaphore;
};

struct rts_mutex {
    TX_MUTEX mutex;
};

struct rts_queue {
    TX_QUEUE queue;
    ULONG messages[8 * 16 / sizeof(ULONG)]; /**< RTS_QUEUE_DEPTH messages of RTS_MESSAGE_BYTES_MAX */
};

/** Each block has a pointer before it, which is ThreadX's. */
struct rts_blocks {
    TX_BLOCK_POOL pool;
    ULONG memory[16 * (64 + sizeof(void *)) / sizeof(ULONG)]; /**< RTS_BLOCK_COUNT blocks of RTS_BLOCK_BYTES */
};

#endif
