/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The thread that does a measurement's operations, so that they run in the class, at the priority and on the CPU of the item; the
 * engine's thread waits meanwhile.
 */
#ifndef RTSTONE_MEASUREMENTS_WORKER_H
#define RTSTONE_MEASUREMENTS_WORKER_H

#include "rtstone/measurement.h"

/** A worker's task: `count` operations; the ticks of a batch go to `total`. */
typedef rts_status (*rts_work)(rts_run *run, uint32_t count, rts_ticks *total);

typedef struct rts_worker {
    struct rts_thread thread;
    struct rts_semaphore start;
    struct rts_semaphore done;
    rts_run *run;
    rts_work work; /**< NULL: end */
    uint32_t count;
    rts_ticks total;
    rts_status status;
    uint32_t made; /**< how many of its three objects there are */
} rts_worker;

/** Creates the worker and lets it wait for work. rts_worker_destroy destroys it, and must be called after a failure too. */
rts_status rts_worker_create(rts_worker *worker, rts_run *run, rts_priority priority);

/** Creates a worker that is a process, for properties of a process: its signals, its CPU time. The worker must lie in rts_run_state. */
rts_status rts_worker_create_process(rts_worker *worker, rts_run *run, rts_priority priority);

/** Lets the worker do the task and waits for its end. `total` may be NULL. */
rts_status rts_worker_do(rts_worker *worker, rts_work work, uint32_t count, rts_ticks *total);

void rts_worker_destroy(rts_worker *worker);

/** The first of two statuses that is not RTS_OK. C leaves the order of evaluation open: at most one argument may be a call. */
static inline rts_status rts_first_failure(rts_status first, rts_status second)
{
    return first != RTS_OK ? first : second;
}

#endif
