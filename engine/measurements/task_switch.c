/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rhealstone, "task switch": two tasks of equal priority yield to each other.
 */
#include "common/ping.h"
#include "common/state.h"

typedef struct state {
    rts_ping ping;
    struct rts_semaphore go; /**< lets B into a slice: between slices it must not spin */
    bool made;
} state;

RTS_STATE_FITS(state);

static rts_status yield(rts_ping *ping)
{
    (void)ping;
    return rts_port_yield();
}

static rts_status wait_for_go(rts_ping *ping)
{
    return rts_port_semaphore_take(&((state *)ping)->go);
}

static rts_status give_go(rts_ping *ping)
{
    return rts_port_semaphore_give(&((state *)ping)->go);
}

static rts_status begin(rts_ping *ping)
{
    const rts_status status = give_go(ping);
    return status != RTS_OK ? status : rts_port_yield();
}

static const rts_ping_way way = {
    .kind = RTS_PING_EITHER,
    .a = RTS_PRIORITY_MIDDLE,
    .b = RTS_PRIORITY_MIDDLE,
    .first_b = wait_for_go,
    .begin_a = begin,
    .pass_a = yield,
    .pass_b = yield,
    .idle_b = wait_for_go,
    .wake_b = give_go,
};

static rts_status setup(rts_run *run)
{
    state *own = rts_run_state(run);
    const rts_status status = rts_port_semaphore_create(&own->go, 0, 2);
    if (status != RTS_OK) {
        return status;
    }
    own->made = true;
    return rts_ping_create(&own->ping, run, &way);
}

static void teardown(rts_run *run)
{
    state *own = rts_run_state(run);
    rts_ping_destroy(&own->ping);
    if (own->made) {
        rts_port_semaphore_destroy(&own->go);
    }
}

const rts_measurement rts_measurement_task_switch = {
    .name = "task-switch",
    .meaning = 2,
    .summary = "two tasks of equal priority yield to each other: one switch",
    .series = {"task-switch"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_YIELD,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .traits = RTS_PRIORITIZED,
    .setup = setup,
    .batch = rts_ping_batch,
    .single = rts_ping_single,
    .teardown = teardown,
};
