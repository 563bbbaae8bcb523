/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Asks the kernel, not EPICS: a thread's real scheduling may differ from the requested one.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

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
    FILE *const file = fopen("/proc/self/status", "re");
    if (file == NULL) {
        return -1;
    }
    long kb = -1;
    char line[128];
    while (kb < 0 && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "VmLck: %ld", &kb) != 1) { /* NOLINT(cert-err34-c): a number of the kernel's */
            kb = -1;
        }
    }
    (void)fclose(file);
    return kb;
}
