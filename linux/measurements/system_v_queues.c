/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SSCL Table 1's rows of queues once more, by System V's message queues, as LynxOS had them in 1991: the same measurements, on queues of that kind.
 */
#include "../system.h"
#include "rtstone/measurement.h"

extern const rts_measurement rts_measurement_queue_fill;
extern const rts_measurement rts_measurement_queue_drain;
extern const rts_measurement rts_measurement_queue_fill_urgent;
extern const rts_measurement rts_measurement_queue_fill_drain;
extern const rts_measurement rts_measurement_queue_alternate;

/* A batch of these has at most one depth's worth of messages, … */
static const rts_choice one_way_choices[] = {
    {"fill", "queue-fill by a message queue of System V"},
    {"drain", "queue-drain by a message queue of System V"},
    {"fill-urgent",
     "queue-fill-urgent by a message queue of System V, where falling message types stand in for the head"},
};
static const rts_measurement *const one_way[] = {&rts_measurement_queue_fill, &rts_measurement_queue_drain,
                                                 &rts_measurement_queue_fill_urgent};

/* … and of these any number: a batch_limit is a measurement's, and not a choice's. */
static const rts_choice both_ways_choices[] = {
    {"fill-drain", "queue-fill-drain by a message queue of System V"},
    {"alternate", "queue-alternate by message queues of System V"},
};
static const rts_measurement *const both_ways[] = {&rts_measurement_queue_fill_drain, &rts_measurement_queue_alternate};

/** The measurement that is made once more, of the item under way. */
static const rts_measurement *made;

static rts_status setup(rts_run *run, const rts_measurement *again)
{
    made = again;
    rts_system_queues = true;
    const rts_status status = made->setup(run);
    rts_system_queues = false;
    return status;
}

static rts_status setup_one_way(rts_run *run)
{
    return setup(run, one_way[rts_run_choice(run)]);
}

static rts_status setup_both_ways(rts_run *run)
{
    return setup(run, both_ways[rts_run_choice(run)]);
}

static rts_status batch(rts_run *run, uint32_t ops, rts_ticks *total)
{
    return made->batch(run, ops, total);
}

static rts_status single(rts_run *run, uint32_t samples)
{
    return made->single(run, samples);
}

static void teardown(rts_run *run)
{
    made->teardown(run);
}

#define SERVICES (1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_QUEUE)

const rts_measurement rts_measurement_system_v_queue_one_way = {
    .name = "system-v-queue",
    .meaning = 1,
    .summary = "a message queue of System V, in one direction at a time",
    .services = SERVICES,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .batch_limit = RTS_QUEUE_DEPTH,
    .setup = setup_one_way,
    .batch = batch,
    .single = single,
    .teardown = teardown,
    .choices = one_way_choices,
    .choice_count = sizeof one_way_choices / sizeof one_way_choices[0],
};

const rts_measurement rts_measurement_system_v_queue_both_ways = {
    .name = "system-v-queue",
    .meaning = 1,
    .summary = "a message queue of System V, a message sent and received",
    .services = SERVICES,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup_both_ways,
    .batch = batch,
    .single = single,
    .teardown = teardown,
    .choices = both_ways_choices,
    .choice_count = sizeof both_ways_choices / sizeof both_ways_choices[0],
};
