/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a run takes and gives back: locked memory, the right to real-time priorities, CPUs kept awake. All of it is bound to this
 * process, so that the kernel undoes it however the engine ends.
 */
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "posix.h"

static bool taken;
static bool locked;

bool rts_posix_realtime(void)
{
    static bool asked;
    static bool allowed;
    if (!asked) {
        asked = true;
        int policy = SCHED_OTHER;
        struct sched_param before = {.sched_priority = 0};
        (void)pthread_getschedparam(pthread_self(), &policy, &before);
        const struct sched_param highest = {.sched_priority = RTS_POSIX_PRIORITY_HANDLER};
        allowed = pthread_setschedparam(pthread_self(), SCHED_FIFO, &highest) == 0;
        if (allowed) {
            (void)pthread_setschedparam(pthread_self(), policy, &before);
        }
    }
    return allowed;
}

bool rts_posix_locked(void)
{
    return locked;
}

#define HEADROOM_BYTES ((size_t)16 * 1024 * 1024)

/** Locks all memory, now and later; gives up where a limit would make later allocations fail instead. */
static void lock_memory(void)
{
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        return;
    }
    void *const headroom = malloc(HEADROOM_BYTES);
    if (headroom == NULL) {
        (void)munlockall();
        return;
    }
    free(headroom);
    locked = true;
}

/** Touches the stack of the calling thread as far down as the engine will use it. */
static void touch_stack(void)
{
    volatile unsigned char page[RTS_POSIX_STACK_BYTES];
    for (size_t i = 0; i < sizeof page; i += 1024u) {
        page[i] = 0;
    }
}

void rts_posix_take(void)
{
    if (taken) {
        return;
    }
    taken = true;
    lock_memory();
    touch_stack();
    rts_system_block_deep_idle();
}

rts_status rts_port_prepare(rts_degraded_fn degraded, void *arg)
{
    char text[480];
    char remedy[320];
    rts_posix_take();
    if (!rts_posix_realtime()) {
        rts_system_realtime_refused(text, sizeof text, remedy, sizeof remedy);
        degraded(arg, "no-realtime", text, remedy);
    }
    if (!locked) {
        rts_system_lock_refused(text, sizeof text, remedy, sizeof remedy);
        degraded(arg, "no-memory-lock", text, remedy);
    }
    rts_system_degraded(degraded, arg);
    return RTS_OK;
}

void rts_port_release(void)
{
    if (!taken) {
        return;
    }
    taken = false;
    rts_system_release();
    if (locked) {
        (void)munlockall();
        locked = false;
    }
}
