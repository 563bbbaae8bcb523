/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SPring-8 Table 3, "Context switching time": the switch between two processes, by semaphores that they share.
 */
#include "common/pair.h"

static const rts_ping_way way = {
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

static rts_status setup(rts_run *run)
{
    return rts_pair_setup(run, &way, RTS_PAIR_SHARED);
}

const rts_measurement rts_measurement_process_switch = {
    .name = "process-switch",
    .meaning = 2,
    .summary = "one process hands the CPU to another by semaphores: one switch",
    .series = {"process-switch"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_PROCESSES | 1u << RTS_SERVICE_SEMAPHORE,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .setup = setup,
    .batch = rts_ping_batch,
    .single = rts_ping_single,
    .teardown = rts_pair_teardown,
};
