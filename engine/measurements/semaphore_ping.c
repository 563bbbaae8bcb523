/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SSCL Table 1, "Ping Semaphore": two tasks of equal priority pass ownership back and forth through semaphores.
 */
#include "common/pair.h"

/* One semaphore, as the paper has it: a task that gives it and takes it again waits until the other has given it. */
static rts_status pass_one(rts_ping *ping)
{
    const rts_status given = rts_pair_give_a(ping);
    return given != RTS_OK ? given : rts_pair_take_a(ping);
}

static const rts_ping_way one = {
    .kind = RTS_PING_ROUND,
    .a = RTS_PRIORITY_MIDDLE,
    .b = RTS_PRIORITY_MIDDLE,
    .blocks = 2,
    .first_b = rts_pair_take_a,
    .begin_a = pass_one,
    .pass_a = pass_one,
    .pass_b = pass_one,
    .idle_b = pass_one,
    .wake_b = rts_pair_give_a,
    .free_a = rts_pair_give_a,
};

static const rts_ping_way two = {
    .kind = RTS_PING_ROUND,
    .a = RTS_PRIORITY_MIDDLE,
    .b = RTS_PRIORITY_MIDDLE,
    .blocks = 2,
    .first_b = rts_pair_take_b,
    .begin_a = rts_pair_pass_a,
    .pass_a = rts_pair_pass_a,
    .pass_b = rts_pair_pass_b,
    .idle_b = rts_pair_pass_b,
    .wake_b = rts_pair_give_b,
    .free_a = rts_pair_give_a,
};

static rts_status setup_of(rts_run *run, rts_pair_kind kind)
{
    /* A port says what it substitutes: two semaphores, where a task could take back the one that it has just given. */
    return rts_pair_setup(run, rts_port_substitute(RTS_SERVICE_PING_SEMAPHORE) == NULL ? &one : &two, kind);
}

static rts_status setup(rts_run *run)
{
    return setup_of(run, RTS_PAIR_PRIVATE);
}

const rts_measurement rts_measurement_semaphore_ping = {
    .name = "semaphore-ping",
    .meaning = 2,
    .summary = "two tasks of equal priority pass ownership to and fro through semaphores: two switches",
    .series = {"semaphore-ping"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_PING_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup,
    .batch = rts_ping_batch,
    .single = rts_ping_single,
    .teardown = rts_pair_teardown,
};

#ifdef RTS_PORT_SHARED_SEMAPHORES
/* Through semaphores that processes can share, still between two threads: measures the cost of sharing. */
static rts_status setup_shared(rts_run *run)
{
    return setup_of(run, RTS_PAIR_SHARED);
}

const rts_measurement rts_measurement_semaphore_ping_shared = {
    .name = "semaphore-ping-shared",
    .meaning = 1,
    .summary = "semaphore-ping through semaphores that processes can share, between two threads all the same",
    .series = {"semaphore-ping-shared"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_PING_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup_shared,
    .batch = rts_ping_batch,
    .single = rts_ping_single,
    .teardown = rts_pair_teardown,
};
#endif
