/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a thread knows of itself: the CPU that it is pinned to, and the CPU time that it used.
 */
#include <errno.h>
#include <time.h>

#include "posix.h"

static _Thread_local int32_t pinned = RTS_CPU_ANY;

int32_t rts_posix_pinned(void)
{
    return pinned;
}

void rts_posix_set_pinned(int32_t cpu)
{
    pinned = cpu;
}

rts_status rts_posix_cpu_ns(clockid_t clock, uint64_t *ns)
{
    struct timespec used;
    if (clock_gettime(clock, &used) != 0) {
        return rts_system_status(errno);
    }
    *ns = (uint64_t)used.tv_sec * RTS_NS_PER_S + (uint64_t)used.tv_nsec;
    return RTS_OK;
}

void rts_posix_note_cpu(struct rts_thread *self, clockid_t clock)
{
    uint64_t ns = 0;
    if (self->counted && rts_posix_cpu_ns(clock, &ns) == RTS_OK) {
        __atomic_store_n(&self->cpu_ns, ns, __ATOMIC_RELEASE);
    }
}
