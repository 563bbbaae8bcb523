/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SSCL Table 1, "Getting/Releasing Semaphore": a task takes a free semaphore and gives it back.
 */
#include "common/state.h"
#include "common/timed.h"
#include "common/worker.h"

typedef struct state {
    rts_worker worker;
    struct rts_semaphore semaphore;
    bool made;
} state;

RTS_STATE_FITS(state);

static rts_status get_and_release(void *arg, uint32_t i)
{
    (void)i;
    state *own = arg;
    const rts_status status = rts_port_semaphore_take(&own->semaphore);
    return status != RTS_OK ? status : rts_port_semaphore_give(&own->semaphore);
}

static rts_status work_batch(rts_run *run, uint32_t count, rts_ticks *total)
{
    return rts_time_together(rts_run_state(run), get_and_release, count, total);
}

static rts_status work_single(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)total;
    return rts_time_each(run, get_and_release, count, NULL);
}

static rts_status setup(rts_run *run)
{
    state *own = rts_run_state(run);
    const rts_status status = rts_port_semaphore_create(&own->semaphore, 1, 1);
    if (status != RTS_OK) {
        return status;
    }
    own->made = true;
    return rts_worker_create(&own->worker, run, RTS_PRIORITY_MIDDLE);
}

static rts_status batch(rts_run *run, uint32_t ops, rts_ticks *total)
{
    state *own = rts_run_state(run);
    return rts_worker_do(&own->worker, work_batch, ops, total);
}

static rts_status single(rts_run *run, uint32_t samples)
{
    state *own = rts_run_state(run);
    return rts_worker_do(&own->worker, work_single, samples, NULL);
}

static void teardown(rts_run *run)
{
    state *own = rts_run_state(run);
    rts_worker_destroy(&own->worker);
    if (own->made) {
        rts_port_semaphore_destroy(&own->semaphore);
    }
}

const rts_measurement rts_measurement_semaphore_get_release = {
    .name = "semaphore-get-release",
    .meaning = 2,
    .summary = "one task takes a free semaphore and gives it back: no switch",
    .series = {"semaphore-get-release"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup,
    .batch = batch,
    .single = single,
    .teardown = teardown,
};
