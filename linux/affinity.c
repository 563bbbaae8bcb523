/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * CPUs: which ones may be used, which one to measure on, pinning to it.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "files.h"

/** The CPUs that this process was given, as they were before the engine pinned anything. */
static const cpu_set_t *given(void)
{
    static cpu_set_t set;
    static bool known;
    if (!known) {
        known = true;
        if (sched_getaffinity(0, sizeof set, &set) != 0) {
            CPU_ZERO(&set);
            CPU_SET(0, &set);
        }
    }
    return &set;
}

uint32_t rts_system_cpu_count(void)
{
    const int count = CPU_COUNT(given());
    return count > 0 ? (uint32_t)count : 1u;
}

bool rts_system_cpu_usable(int32_t cpu)
{
    static int32_t usable = RTS_CPU_ANY; /* the last that was found so: asked again in every window of "create task" */
    if (cpu == usable) {
        return true;
    }
    if (cpu < 0 || cpu >= CPU_SETSIZE) {
        return false;
    }
    /* An isolated CPU is not among those given and yet can be had, so the kernel is asked, on this very thread. */
    cpu_set_t before;
    cpu_set_t only;
    (void)given();
    CPU_ZERO(&only);
    CPU_SET((size_t)cpu, &only);
    if (sched_getaffinity(0, sizeof before, &before) != 0 || sched_setaffinity(0, sizeof only, &only) != 0) {
        return false;
    }
    (void)sched_setaffinity(0, sizeof before, &before);
    usable = cpu;
    return true;
}

/** First CPU of a list such as "2-5,7"; RTS_CPU_ANY when it is empty. */
static int32_t first_of(const char *list)
{
    char *end = NULL;
    const long cpu = strtol(list, &end, 10);
    return end == list || cpu < 0 || cpu >= CPU_SETSIZE ? RTS_CPU_ANY : (int32_t)cpu;
}

int32_t rts_system_cpu_choice(void)
{
    static int32_t choice = RTS_CPU_ANY;
    if (choice != RTS_CPU_ANY) {
        return choice;
    }
    char isolated[256];
    if (rts_linux_line("/sys/devices/system/cpu/isolated", isolated, sizeof isolated)) {
        const int32_t cpu = first_of(isolated);
        if (cpu != RTS_CPU_ANY && rts_system_cpu_usable(cpu)) {
            return choice = cpu;
        }
    }
    choice = 0;
    for (int32_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET((size_t)cpu, given())) {
            choice = cpu; /* the last: the kernel's own housekeeping favours the first */
        }
    }
    return choice;
}

rts_status rts_system_cpu_resolve(int32_t wanted, int32_t *actual)
{
    const int32_t cpu = wanted == RTS_CPU_ANY ? rts_system_cpu_choice() : wanted;
    if (!rts_system_cpu_usable(cpu)) {
        return RTS_INVALID;
    }
    *actual = cpu;
    return RTS_OK;
}

rts_status rts_system_pin_self(int32_t cpu)
{
    cpu_set_t set = *given();
    if (cpu != RTS_CPU_ANY) {
        CPU_ZERO(&set);
        CPU_SET((size_t)cpu, &set);
    }
    return sched_setaffinity(0, sizeof set, &set) == 0 ? RTS_OK : rts_system_status(errno);
}
