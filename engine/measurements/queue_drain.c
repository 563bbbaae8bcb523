/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SSCL Table 1, "Queue Drain": a task receives all messages of a full queue.
 */
#include "common/filling.h"

static rts_status setup(rts_run *run)
{
    return rts_filling_setup(run, RTS_TIME_RECEIVES, false);
}

const rts_measurement rts_measurement_queue_drain = {
    .name = "queue-drain",
    .meaning = 2,
    .summary = "a task receives from a queue that was full: time of one message",
    .series = {"queue-drain"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_QUEUE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .batch_limit = RTS_QUEUE_DEPTH,
    .setup = setup,
    .batch = rts_filling_batch,
    .single = rts_filling_single,
    .teardown = rts_filling_teardown,
};
