/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The variant of task-ping-suspend-resume on a process, for kernels that cannot suspend a single thread.
 */
#include "common/ping.h"
#include "common/suspension.h"

const rts_measurement rts_measurement_process_ping_suspend_resume = {
    .name = "process-ping-suspend-resume",
    .meaning = 2,
    .summary = "a thread continues a stopped, more urgent process, which stops itself again: two switches",
    .series = {"process-ping-suspend-resume"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_PROCESS_SUSPEND |
                1u << RTS_SERVICE_PROCESSES,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .prioritized = true,
    .setup = rts_suspend_ping_process_setup,
    .batch = rts_ping_batch,
    .single = rts_ping_single,
    .teardown = rts_suspend_ping_teardown,
};
