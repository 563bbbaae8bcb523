/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * `semaphore-ping` through semaphores of the kind that processes can share, still between two threads: what the sharing costs.
 */
#include "common/pair.h"

static rts_status setup(rts_run *run)
{
    return rts_pair_semaphore_ping_setup(run, RTS_PAIR_SHARED);
}

const rts_measurement rts_measurement_semaphore_ping_shared = {
    .name = "semaphore-ping-shared",
    .meaning = 1,
    .summary = "semaphore-ping through semaphores that processes can share, between two threads all the same",
    .series = {"semaphore-ping-shared"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_PING_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup,
    .batch = rts_ping_batch,
    .single = rts_ping_single,
    .teardown = rts_pair_teardown,
};
