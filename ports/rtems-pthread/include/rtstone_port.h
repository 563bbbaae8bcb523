/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the engine sees of the port to RTEMS' pthreads: its objects, each of POSIX; sizes and clocks are the board's.
 */
#ifndef RTSTONE_RTEMS_PTHREAD_PORT_H
#define RTSTONE_RTEMS_PTHREAD_PORT_H

#include <mqueue.h>
#include <pthread.h>
#include <rtems.h>
#include <semaphore.h>

#include "board_port.h"

#define RTS_PORT_NAME "rtems-pthread"
#define RTS_PORT_DELETION                                                                                              \
    "a thread returns; its stack and control block are given back by its join, outside of the window"
#define RTS_RTEMS_PTHREADS
#define RTS_RTEMS_API "POSIX: threads, semaphores, mutexes, message queues"
#define RTS_RTEMS_PRIORITIES                                                                                           \
    "top 245, high 235, middle 225, low 215, load 195 of POSIX' 1 to 254; engine 205 likewise, idle below all"

struct rts_thread {
    pthread_t handle;
    void (*entry)(void *);
    void *arg;
};

struct rts_semaphore {
    sem_t semaphore;
};

struct rts_mutex {
    pthread_mutex_t mutex;
};

struct rts_queue {
    mqd_t descriptor;
    uint32_t message_bytes;
    uint32_t urgent; /**< message priority of the foremost urgent message; 0: none waits */
};

/** POSIX has no memory blocks: these are RTEMS' own. */
struct rts_blocks {
    rtems_id id;
    _Alignas(8) unsigned char memory[16 * 64]; /**< RTS_BLOCK_COUNT blocks of RTS_BLOCK_BYTES */
};

#endif
