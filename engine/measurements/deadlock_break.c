/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rhealstone, "deadlock break": a task asks for a mutex that a less urgent one holds while a third, of middle priority, would keep the holder from running.
 */
#include "common/contest.h"
#include "common/state.h"

typedef struct state {
    rts_contest contest;
    struct rts_mutex lock;
    bool made;
} state;

RTS_STATE_FITS(state);

static rts_status acquire(rts_contest *contest)
{
    return rts_port_mutex_lock(&((state *)contest)->lock);
}

static rts_status release(rts_contest *contest)
{
    return rts_port_mutex_unlock(&((state *)contest)->lock);
}

static const rts_contest_way way = {.third = true, .acquire = acquire, .release = release};

static rts_status setup(rts_run *run)
{
    state *own = rts_run_state(run);
    const rts_status status = rts_port_mutex_create(&own->lock, RTS_PROTOCOL_INHERIT);
    if (status != RTS_OK) {
        return status;
    }
    own->made = true;
    return rts_contest_create(&own->contest, run, &way);
}

static void teardown(rts_run *run)
{
    state *own = rts_run_state(run);
    rts_contest_destroy(&own->contest);
    if (own->made) {
        rts_port_mutex_destroy(&own->lock);
    }
}

const rts_measurement rts_measurement_deadlock_break = {
    .name = "deadlock-break",
    .meaning = 2,
    .summary = "a task asks for a mutex whose holder must inherit its priority to give it: two switches",
    .series = {"deadlock-break"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_MUTEX |
                1u << RTS_SERVICE_MUTEX_INHERIT,
    .passes = RTS_PASS_SINGLE,
    .traits = RTS_PRIORITIZED,
    .setup = setup,
    .single = rts_contest_single,
    .teardown = teardown,
};
