/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rhealstone, "preemption": a task makes a more urgent one ready by giving the semaphore that it waits for, and loses the CPU to it.
 */
#include "common/pair.h"

static const rts_ping_way way = {
    .kind = RTS_PING_THERE,
    .a = RTS_PRIORITY_LOW,
    .b = RTS_PRIORITY_HIGH,
    .blocks = 1,
    .first_b = rts_pair_take_b,
    .begin_a = rts_pair_give_b,
    .pass_a = rts_pair_give_b,
    .pass_b = rts_pair_take_b,
    .idle_b = rts_pair_take_b,
    .wake_b = rts_pair_give_b,
};

static rts_status setup(rts_run *run)
{
    return rts_pair_setup(run, &way, RTS_PAIR_PRIVATE);
}

const rts_measurement rts_measurement_task_preemption = {
    .name = "task-preemption",
    .meaning = 2,
    .summary = "a task gives the semaphore that a more urgent one waits for and loses the CPU to it: one switch",
    .series = {"task-preemption"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_SINGLE,
    .traits = RTS_PRIORITIZED,
    .setup = setup,
    .single = rts_ping_single,
    .teardown = rts_pair_teardown,
};
