/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SSCL Table 1, "Ping Suspend/Resume Task": a task resumes a suspended, more urgent one, which suspends itself again.
 */
#include "common/ping.h"
#include "common/suspension.h"

const rts_measurement rts_measurement_task_ping_suspend_resume = {
    .name = "task-ping-suspend-resume",
    .meaning = 2,
    .summary = "a task resumes a suspended, more urgent one, which suspends itself again: two switches",
    .series = {"task-ping-suspend-resume"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_THREAD_SUSPEND_SELF,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .prioritized = true,
    .setup = rts_suspend_ping_task_setup,
    .batch = rts_ping_batch,
    .single = rts_ping_single,
    .teardown = rts_suspend_ping_teardown,
};
