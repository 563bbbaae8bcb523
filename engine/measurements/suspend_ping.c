/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SSCL Table 1, "Ping Suspend/Resume Task": a task resumes a suspended, more urgent one, which suspends itself again. The same on a process.
 */
#include "common/ping.h"
#include "common/state.h"
#include "common/suspended.h"

RTS_STATE_FITS(rts_ping);

static rts_status resume_b(rts_ping *ping)
{
    return rts_port_thread_resume(&ping->b);
}

static rts_status suspend_b(rts_ping *ping)
{
    return rts_port_thread_suspend_self(&ping->b);
}

/* B may be about to suspend itself, and a resume before that would be lost. */
static rts_status end_b(rts_ping *ping)
{
    return rts_resume_until(&ping->b, &ping->b_ended);
}

static const rts_ping_way task_way = {
    .kind = RTS_PING_ROUND,
    .a = RTS_PRIORITY_LOW,
    .b = RTS_PRIORITY_HIGH,
    .first_b = suspend_b,
    .begin_a = resume_b,
    .pass_a = resume_b,
    .pass_b = suspend_b,
    .idle_b = suspend_b,
    .wake_b = end_b,
};

static const rts_ping_way process_way = {
    .kind = RTS_PING_ROUND,
    .a = RTS_PRIORITY_LOW,
    .b = RTS_PRIORITY_HIGH,
    .b_space = RTS_SPACE_OWN,
    .first_b = suspend_b,
    .begin_a = resume_b,
    .pass_a = resume_b,
    .pass_b = suspend_b,
    .idle_b = suspend_b,
    .wake_b = end_b,
};

static rts_status setup(rts_run *run, const rts_ping_way *way)
{
    rts_ping *ping = rts_run_state(run);
    const rts_status status = rts_ping_create(ping, run, way);
    return status != RTS_OK ? status : rts_wait_suspended(&ping->b);
}

static rts_status setup_task(rts_run *run)
{
    return setup(run, &task_way);
}

static rts_status setup_process(rts_run *run)
{
    return setup(run, &process_way);
}

static void teardown(rts_run *run)
{
    rts_ping_destroy(rts_run_state(run));
}

const rts_measurement rts_measurement_task_ping_suspend_resume = {
    .name = "task-ping-suspend-resume",
    .meaning = 2,
    .summary = "a task resumes a suspended, more urgent one, which suspends itself again: two switches",
    .series = {"task-ping-suspend-resume"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_THREAD_SUSPEND_SELF,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .traits = RTS_PRIORITIZED,
    .setup = setup_task,
    .batch = rts_ping_batch,
    .single = rts_ping_single,
    .teardown = teardown,
};

/* For kernels that cannot suspend a single thread. */
const rts_measurement rts_measurement_process_ping_suspend_resume = {
    .name = "process-ping-suspend-resume",
    .meaning = 2,
    .summary = "a thread continues a stopped, more urgent process, which stops itself again: two switches",
    .series = {"process-ping-suspend-resume"},
    .services = 1u << RTS_SERVICE_THREADS | 1u << RTS_SERVICE_SEMAPHORE | 1u << RTS_SERVICE_PROCESS_SUSPEND |
                1u << RTS_SERVICE_PROCESSES,
    .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
    .traits = RTS_PRIORITIZED,
    .setup = setup_process,
    .batch = rts_ping_batch,
    .single = rts_ping_single,
    .teardown = teardown,
};
