/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Source "nanosleep" of the measured interrupt: a thread that sleeps until an absolute time, as control loops are written.
 */
#include <errno.h>

#include "posix.h"

static rts_status open_nothing(rts_ticks first, rts_ticks period)
{
    (void)first;
    (void)period;
    return RTS_OK;
}

static uint64_t wait_until(rts_ticks due, rts_ticks *entered)
{
    /* A late handler goes on at once, as an interrupt does that is pending when its handler returns. */
    *entered = rts_timer_clock_read();
    if (*entered >= due) {
        return 1;
    }
    const struct timespec when = rts_timespec(due);
    const int error = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL);
    *entered = rts_timer_clock_read();
    if (error != 0 && error != EINTR) {
        rts_port_fatal("clock_nanosleep failed");
    }
    return error == 0 ? 1 : 0;
}

static void close_nothing(void) {}

const rts_timer_source rts_posix_nanosleep = {
    .name = "nanosleep",
    .open = open_nothing,
    .wait = wait_until,
    .close = close_nothing,
};
