/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SSCL Table 1, "Suspend/Resume Task": a task suspends and resumes a less urgent one, which never gets to run.
 */
#include "common/suspension.h"

const rts_measurement rts_measurement_task_suspend_resume = {
    .name = "task-suspend-resume",
    .meaning = 1,
    .summary = "a task suspends and resumes a less urgent one: no switch",
    .series = {"task-suspend-resume"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_THREAD_SUSPEND |
                1u << RTS_SERVICE_THREAD_SUSPEND_SELF,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .prioritized = true,
    .setup = rts_suspend_task_setup,
    .batch = rts_suspend_batch,
    .single = rts_suspend_single,
    .teardown = rts_suspend_teardown,
};
