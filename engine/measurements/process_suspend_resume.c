/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The variant of task-suspend-resume on a process, for kernels that cannot suspend a single thread.
 */
#include "common/suspension.h"

const rts_measurement rts_measurement_process_suspend_resume = {
    .name = "process-suspend-resume",
    .meaning = 1,
    .summary = "a thread stops and continues a less urgent process: no switch",
    .series = {"process-suspend-resume"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_PROCESS_SUSPEND |
                1u << RTS_SERVICE_PROCESSES,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .prioritized = true,
    .setup = rts_suspend_process_setup,
    .batch = rts_suspend_batch,
    .single = rts_suspend_single,
    .teardown = rts_suspend_teardown,
};
