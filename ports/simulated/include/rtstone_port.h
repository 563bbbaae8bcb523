/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The simulated kernel as the engine sees it: its objects, its clock and its sizes.
 */
#ifndef RTSTONE_PORT_SIMULATED_H
#define RTSTONE_PORT_SIMULATED_H

#include "rtstone/types.h"

#define RTS_PORT_NAME "simulated"
#define RTS_PORT_SUB_BITS 11
#define RTS_PORT_MAX_BITS 30
#define RTS_PORT_NEGATIVE_BITS 20
#define RTS_PORT_COUNT_TYPE uint64_t
#define RTS_PORT_STATE_BYTES 65536u
#define RTS_PORT_SERIES 8u /* tests make measurements with that many */
#define RTS_PORT_LOAD_STATE_BYTES 8192u
#define RTS_PORT_EXTREMES 16u
#define RTS_PORT_WINDOWS 256u
#define RTS_PORT_ITEMS 1024u

struct sim_task; /* one coroutine of the kernel, see task.h */

/** Tasks that wait for one thing: the most urgent first, equal ones in the order in which they came. */
struct sim_waiters {
    struct sim_task *first;
};

struct rts_thread {
    struct sim_task *task; /**< NULL once joined */
    rts_ticks used;        /**< CPU time, once joined */
};

struct rts_semaphore {
    struct sim_waiters waiters;
    uint32_t count;
    uint32_t maximum;
};

struct rts_mutex {
    struct sim_waiters waiters;
    struct sim_task *owner;
    rts_protocol protocol;
};

#define SIM_QUEUE_DEPTH 64u
#define SIM_MESSAGE_BYTES 16u

struct rts_queue {
    struct sim_waiters receivers;
    struct sim_waiters senders;
    uint32_t depth;
    uint32_t message_bytes;
    uint32_t head;
    uint32_t count;
    uint32_t urgent; /**< how many at the head were sent as urgent */
    unsigned char messages[SIM_QUEUE_DEPTH][SIM_MESSAGE_BYTES];
};

#define SIM_BLOCKS 64u
#define SIM_BLOCK_BYTES 64u

struct rts_blocks {
    uint32_t count;
    uint32_t bytes;
    uint32_t free_count;
    uint32_t free_list[SIM_BLOCKS];
    bool taken[SIM_BLOCKS];
    unsigned char storage[SIM_BLOCKS][SIM_BLOCK_BYTES];
};

/* Both readings let virtual time pass, as a real reading does. */
rts_ticks sim_clock_read(void);
rts_ticks sim_timer_clock_read(void);

static inline rts_ticks rts_clock_read(void)
{
    return sim_clock_read();
}

static inline rts_ticks rts_timer_clock_read(void)
{
    return sim_timer_clock_read();
}

#endif
