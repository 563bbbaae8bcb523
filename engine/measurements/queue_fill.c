/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SSCL Table 1, "Queue Fill": a task sends messages into an empty queue until it is full.
 */
#include "common/filling.h"

static rts_status setup(rts_run *run)
{
    return rts_filling_setup(run, RTS_TIME_SENDS, false);
}

const rts_measurement rts_measurement_queue_fill = {
    .name = "queue-fill",
    .meaning = 2,
    .summary = "a task sends into a queue that nobody waits at: time of one message",
    .series = {"queue-fill"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_QUEUE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .batch_limit = RTS_QUEUE_DEPTH,
    .setup = setup,
    .batch = rts_filling_batch,
    .single = rts_filling_single,
    .teardown = rts_filling_teardown,
};
