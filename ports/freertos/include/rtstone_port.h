/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the engine sees of the FreeRTOS port: its objects; sizes and clocks are the board's.
 */
#ifndef RTSTONE_FREERTOS_PORT_H
#define RTSTONE_FREERTOS_PORT_H

#include "FreeRTOS.h"
#include "board_port.h"
#include "queue.h"
#include "semphr.h"
#include "task.h"

#define RTS_PORT_NAME "freertos"
#define RTS_FREERTOS_HEAP "heap_4"
#define RTS_PORT_DELETION "the idle task gives back the ended task's memory, outside of the window"

/** A task. It is created from the kernel's heap, as FreeRTOS programs do. */
struct rts_thread {
    TaskHandle_t handle;
    TaskHandle_t volatile joiner; /**< the task that waits for its end; NULL: no task */
    volatile bool ended;
    void (*entry)(void *);
    void *arg;
};

struct rts_semaphore {
    SemaphoreHandle_t handle;
    StaticSemaphore_t memory;
};

struct rts_mutex {
    SemaphoreHandle_t handle;
    StaticSemaphore_t memory;
};

struct rts_queue {
    QueueHandle_t handle;
    StaticQueue_t memory;
    uint8_t messages[8 * 16]; /**< RTS_QUEUE_DEPTH messages of RTS_MESSAGE_BYTES_MAX */
};

struct rts_blocks {
    uint32_t bytes;
    uint32_t left;
};

#endif
