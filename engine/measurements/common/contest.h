/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A task of low priority holds a lock that a task of high priority requests: the time from the request until the high one has the lock.
 *
 * The owner (low) takes the lock and starts the asker (high). The asker may make a third task (middle) ready, reads the clock, asks, and so lets
 * the owner run, which releases the lock at once; the asker has it, reads the clock again and gives everything back. The third task, if there is one, can
 * run only if the owner did not inherit the asker's priority; that it did not run in between is stated as a check.
 */
#ifndef RTSTONE_MEASUREMENTS_CONTEST_H
#define RTSTONE_MEASUREMENTS_CONTEST_H

#include <stdatomic.h>

#include "worker.h"

typedef struct rts_contest rts_contest;

/** The contested object. */
typedef struct rts_contest_way {
    bool third; /**< with a ready task of middle priority */
    rts_status (*acquire)(rts_contest *);
    rts_status (*release)(rts_contest *);
} rts_contest_way;

/** The first member of the state of such a measurement. */
struct rts_contest {
    rts_worker owner; /**< it measures */
    struct rts_thread asker;
    struct rts_thread third;
    struct rts_semaphore ask;  /**< starts the asker */
    struct rts_semaphore rise; /**< starts the third task */
    const rts_contest_way *way;
    rts_run *run;
    uint32_t made; /**< how many of ask, rise, asker, third there are */
    _Atomic bool quit;
    rts_status asker_status;
    rts_status third_status;
    rts_ticks asked;
    rts_ticks got;
    _Atomic uint32_t turn; /**< the owner's turns between a start of the asker and its release */
    uint64_t requests;     /**< the asker's */
    uint64_t third_runs;
    uint64_t contended;  /**< requests during which the owner had exactly one turn */
    uint64_t inversions; /**< requests during which the third task ran */
};

rts_status rts_contest_create(rts_contest *contest, rts_run *run, const rts_contest_way *way);
/** The single pass of such a measurement. */
rts_status rts_contest_single(rts_run *run, uint32_t samples);
/** Ends the tasks; call it before the contested object is destroyed. */
void rts_contest_destroy(rts_contest *contest);

#endif
