/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the tests of this port share.
 */
#ifndef RTSTONE_POSIX_PORT_TEST_H
#define RTSTONE_POSIX_PORT_TEST_H

#include "../../../engine/tests/checks.h"
#include "../posix.h"

/** The CPU on which the tests' threads meet. */
static inline int32_t test_cpu(void)
{
    int32_t cpu = RTS_CPU_ANY;
    assert_int_equal(rts_port_cpu_resolve(RTS_CPU_ANY, &cpu), RTS_OK);
    return cpu;
}

static inline rts_thread_attr test_attr(rts_priority priority, rts_space space)
{
    const rts_thread_attr attr = {
        .name = "test", .priority = priority, .sched = RTS_SCHED_RT, .space = space, .cpu = test_cpu()};
    return attr;
}

/** Sleeps by the timer's clock. */
static inline void test_sleep_ms(long ms)
{
    const struct timespec span = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
}

#endif
