/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * RTEMS has no paging, so no memory is locked.
 */
#include <pthread.h>
#include <sched.h>

#include "standing.h"

standing standing_of_self(void)
{
    int policy = SCHED_OTHER;
    struct sched_param param = {.sched_priority = 0};
    if (pthread_getschedparam(pthread_self(), &policy, &param) != 0) {
        return (standing){.fifo = -1, .priority = 0};
    }
    return (standing){.fifo = policy == SCHED_FIFO, .priority = policy == SCHED_FIFO ? param.sched_priority : 0};
}

long standing_locked_kb(void)
{
    return -1;
}
