/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Source "timerfd" of the measured interrupt: a thread that reads a periodic timer's descriptor, as event loops do.
 */
#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "files.h"

static int timer = -1;

static rts_status open_timer(rts_ticks first, rts_ticks period)
{
    timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
    if (timer < 0) {
        return rts_system_status(errno);
    }
    const struct itimerspec when = {.it_value = rts_timespec(first), .it_interval = rts_timespec(period)};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL) == 0 ? RTS_OK : rts_system_status(errno);
}

static uint64_t wait_for(rts_ticks due, rts_ticks *entered)
{
    (void)due;
    uint64_t expirations = 0;
    const ssize_t got = read(timer, &expirations, sizeof expirations);
    *entered = rts_timer_clock_read();
    if (got == (ssize_t)sizeof expirations) {
        return expirations; /* those that were missed are counted by the kernel */
    }
    if (got < 0 && errno == EINTR) {
        return 0;
    }
    rts_port_fatal("reading the timerfd failed");
}

static void close_timer(void)
{
    (void)close(timer);
    timer = -1;
}

const rts_timer_source *rts_system_timer_source(size_t index)
{
    static const rts_timer_source timerfd = {
        .name = "timerfd",
        .open = open_timer,
        .wait = wait_for,
        .close = close_timer,
    };
    return index == 0 ? &timerfd : NULL;
}

bool rts_system_timer_outside(const char *source)
{
    const char *const kinds[] = {RTS_SYSTEM_NET_SOURCE, RTS_SYSTEM_GPIO_SOURCE, RTS_SYSTEM_PPS_SOURCE,
                                 RTS_SYSTEM_UIO_SOURCE};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strncmp(source, kinds[i], strlen(kinds[i])) == 0) {
            return true;
        }
    }
    return false;
}
