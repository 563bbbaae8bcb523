/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rhealstone, "semaphore shuffle": from a request for a semaphore that another task holds until it is had, the holder giving it at once.
 */
#include "common/contest.h"
#include "common/state.h"

typedef struct state {
    rts_contest contest;
    struct rts_semaphore lock;
    bool made;
} state;

RTS_STATE_FITS(state);

static rts_status acquire(rts_contest *contest)
{
    return rts_port_semaphore_take(&((state *)contest)->lock);
}

static rts_status release(rts_contest *contest)
{
    return rts_port_semaphore_give(&((state *)contest)->lock);
}

static const rts_contest_way way = {.third = false, .acquire = acquire, .release = release};

static rts_status setup(rts_run *run)
{
    state *own = rts_run_state(run);
    const rts_status status = rts_port_semaphore_create(&own->lock, 1, 1);
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
        rts_port_semaphore_destroy(&own->lock);
    }
}

const rts_measurement rts_measurement_semaphore_shuffle = {
    .name = "semaphore-shuffle",
    .meaning = 2,
    .summary = "a task asks for a semaphore that a less urgent one holds and gives at once: two switches",
    .series = {"semaphore-shuffle"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_SINGLE,
    .traits = RTS_PRIORITIZED,
    .setup = setup,
    .single = rts_contest_single,
    .teardown = teardown,
};
