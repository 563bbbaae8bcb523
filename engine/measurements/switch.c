/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The switch between two threads of one address space, or between two processes (SPring-8 Table 3, "Context switching time"): one gives the semaphore
 * that the other waits for, and waits for its own.
 */
#include "common/pair.h"

static const rts_ping_way threads = {
    .kind = RTS_PING_EITHER,
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

static rts_status setup_threads(rts_run *run)
{
    return rts_pair_setup(run, &threads, RTS_PAIR_PRIVATE);
}

const rts_measurement rts_measurement_thread_switch = {
    .name = "thread-switch",
    .meaning = 2,
    .summary = "one thread hands the CPU to another by semaphores: one switch",
    .series = {"thread-switch"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup_threads,
    .batch = rts_ping_batch,
    .single = rts_ping_single,
    .teardown = rts_pair_teardown,
};

static const rts_ping_way processes = {
    .kind = RTS_PING_EITHER,
    .a = RTS_PRIORITY_MIDDLE,
    .b = RTS_PRIORITY_MIDDLE,
    .b_space = RTS_SPACE_OWN,
    .blocks = 2,
    .first_b = rts_pair_take_b,
    .begin_a = rts_pair_pass_a,
    .pass_a = rts_pair_pass_a,
    .pass_b = rts_pair_pass_b,
    .idle_b = rts_pair_pass_b,
    .wake_b = rts_pair_give_b,
    .free_a = rts_pair_give_a,
};

static rts_status setup_processes(rts_run *run)
{
    return rts_pair_setup(run, &processes, RTS_PAIR_SHARED);
}

const rts_measurement rts_measurement_process_switch = {
    .name = "process-switch",
    .meaning = 2,
    .summary = "one process hands the CPU to another by semaphores: one switch",
    .series = {"process-switch"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_PROCESSES | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup_processes,
    .batch = rts_ping_batch,
    .single = rts_ping_single,
    .teardown = rts_pair_teardown,
};
