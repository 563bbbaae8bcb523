/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SSCL Table 1, "Single Queue Fill/Drain": a task sends a message and at once receives it from the same queue.
 */
#include "common/state.h"
#include "common/timed.h"
#include "common/worker.h"

typedef struct state {
    rts_worker worker;
    struct rts_queue queue;
    bool made;
    uint64_t number;
} state;

RTS_STATE_FITS(state);

static rts_status send_and_receive(void *arg, uint32_t i)
{
    (void)i;
    state *own = arg;
    const uint64_t number = ++own->number;
    const uint64_t sent[2] = {number, ~number};
    uint64_t got[2] = {0, 0};
    rts_status status = rts_port_queue_send(&own->queue, sent);
    if (status != RTS_OK) {
        return status;
    }
    status = rts_port_queue_receive(&own->queue, got);
    if (status != RTS_OK) {
        return status;
    }
    return got[0] == number && got[1] == ~number ? RTS_OK : RTS_BROKEN;
}

static rts_status work_batch(rts_run *run, uint32_t count, rts_ticks *total)
{
    return rts_time_together(rts_run_state(run), send_and_receive, count, total);
}

static rts_status work_single(rts_run *run, uint32_t count, rts_ticks *total)
{
    (void)total;
    return rts_time_each(run, send_and_receive, count, NULL);
}

static rts_status setup(rts_run *run)
{
    state *own = rts_run_state(run);
    const rts_status status = rts_port_queue_create(&own->queue, RTS_QUEUE_DEPTH, RTS_MESSAGE_BYTES_MAX);
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
        rts_port_queue_destroy(&own->queue);
    }
}

const rts_measurement rts_measurement_queue_fill_drain = {
    .name = "queue-fill-drain",
    .meaning = 1,
    .summary = "one task sends a message and receives it from the same queue: no switch",
    .series = {"queue-fill-drain"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_QUEUE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup,
    .batch = batch,
    .single = single,
    .teardown = teardown,
};
