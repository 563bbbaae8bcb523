/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Makes clock_nanosleep fail in a program that this library is preloaded into, while the file that FAIL_SLEEP names exists. With
 * FAIL_SLEEP_WHEN_WOKEN it fails each time a signal ends it: the engine wakes its timer's thread so when it stops the timer.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left)
{
    int (*real)(clockid_t, int, const struct timespec *, struct timespec *) = NULL;
    const char *const sign = getenv("FAIL_SLEEP");
    *(void **)&real = dlsym(RTLD_NEXT, "clock_nanosleep");
    if (flags == TIMER_ABSTIME && sign != NULL && access(sign, F_OK) == 0) {
        return ENOTSUP;
    }
    const int error = real(clock, flags, until, left);
    return error == EINTR && flags == TIMER_ABSTIME && getenv("FAIL_SLEEP_WHEN_WOKEN") != NULL ? ENOTSUP : error;
}
