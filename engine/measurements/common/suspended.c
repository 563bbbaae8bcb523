/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Waiting for a task to be suspended, and for one to end.
 */
#include "suspended.h"

#define TRIES 1000u

static rts_status rest(void)
{
    rts_clock_info clock;
    const rts_status status = rts_port_clock_info(&clock);
    return status != RTS_OK ? status : rts_port_sleep_until(rts_clock_read() + clock.hz / TRIES);
}

rts_status rts_wait_suspended(struct rts_thread *thread)
{
    for (uint32_t i = 0; i < TRIES; i++) {
        if (rts_port_thread_is_suspended(thread)) {
            return RTS_OK;
        }
        const rts_status status = rest();
        if (status != RTS_OK) {
            return status;
        }
    }
    return RTS_BROKEN;
}

rts_status rts_resume_until(struct rts_thread *thread, const bool *ended)
{
    for (uint32_t i = 0; i < TRIES; i++) {
        rts_status status = rts_port_thread_resume(thread);
        if (status != RTS_OK || *(const volatile bool *)ended) {
            return status;
        }
        status = rest();
        if (status != RTS_OK || *(const volatile bool *)ended) {
            return status;
        }
    }
    return RTS_BROKEN;
}
