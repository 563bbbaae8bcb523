/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The clocks of the programs with cycles.
 */
#ifndef RTSTONE_TESTS_CLOCKS_H
#define RTSTONE_TESTS_CLOCKS_H

#include <time.h>

#define SECOND_NS 1000000000ll

static inline long long clock_ns(clockid_t clock)
{
    struct timespec time;
    (void)clock_gettime(clock, &time);
    return time.tv_sec * SECOND_NS + time.tv_nsec;
}

static inline long long now(void)
{
    return clock_ns(CLOCK_MONOTONIC);
}

/** CPU time of this thread in ns, without what the kernel knows to be stolen. */
static inline long long own_time(void)
{
    return clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

#endif
