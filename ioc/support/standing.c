/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Asks the kernel, not EPICS: a thread's real scheduling may differ from the requested one.
 */
#include "standing.h"

#include <pthread.h>
#include <sched.h>

standing standing_of_self(void)
{
    int policy = SCHED_OTHER;
    struct sched_param param = {.sched_priority = 0};
    if (pthread_getschedparam(pthread_self(), &policy, &param) != 0) {
        return (standing){.fifo = -1, .priority = 0};
    }
    return (standing){.fifo = policy == SCHED_FIFO, .priority = policy == SCHED_FIFO ? param.sched_priority : 0};
}
