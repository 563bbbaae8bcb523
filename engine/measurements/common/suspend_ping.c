/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Suspend and resume with switches: the low party resumes the high one, which runs at once and suspends itself again.
 */
#include "ping.h"
#include "state.h"
#include "suspended.h"
#include "suspension.h"

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

rts_status rts_suspend_ping_task_setup(rts_run *run)
{
    return setup(run, &task_way);
}

rts_status rts_suspend_ping_process_setup(rts_run *run)
{
    return setup(run, &process_way);
}

void rts_suspend_ping_teardown(rts_run *run)
{
    rts_ping_destroy(rts_run_state(run));
}
