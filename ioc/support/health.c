/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How the IOC's process is doing: of the Channel Access server, and of the kernel.
 */
#include "health.h"

#include <math.h>

#include <epicsMutex.h>
#include <epicsThread.h>
#include <epicsTime.h>
#include <initHooks.h>
#include <rsrv.h>

#define HEALTH_SHORTEST_S 0.1 /* a share of less time says nothing: the last one stands */

/* The process is one, its ports and their locks may be many. */
static epicsMutexId lock;

static void make_lock(void *unused)
{
    (void)unused;
    lock = epicsMutexMustCreate();
}

/** With the lock held. */
static double cpu_percent(void)
{
    static double used_before_s;
    static double at_before_s;
    static double percent;
    const double now_s = (double)epicsMonotonicGet() * 1e-9;
    const double used_s = health_cpu_s();
    if (!isnan(used_s) && now_s - at_before_s > HEALTH_SHORTEST_S) {
        percent = at_before_s > 0 ? 100.0 * (used_s - used_before_s) / (now_s - at_before_s) : 0.0;
        used_before_s = used_s;
        at_before_s = now_s;
    }
    return percent;
}

/* The records process first before there is a server, and base 7.0.8 does not look whether there is. */
static _Atomic int serving;

static void on_state(initHookState state)
{
    if (state == initHookAfterIocBuilt) {
        serving = 1;
    }
}

void health_begin(void)
{
    (void)initHookRegister(on_state);
}

static double served(sampler_reason reason)
{
    unsigned channels = 0;
    unsigned clients = 0;
    if (serving) {
        casStatsFetch(&channels, &clients);
    }
    return reason == REASON_CLIENTS ? clients : channels;
}

/** Since the process asked first, which its first record does. With the lock held. */
static double uptime_s(void)
{
    static epicsUInt64 began_ns;
    const epicsUInt64 now_ns = epicsMonotonicGet();
    if (began_ns == 0) {
        began_ns = now_ns;
    }
    return (double)(now_ns - began_ns) * 1e-9;
}

sampler_status health_read(sampler_reason reason, double *value)
{
    static epicsThreadOnceId once = EPICS_THREAD_ONCE_INIT;
    epicsThreadOnce(&once, make_lock, NULL);
    epicsMutexMustLock(lock);
    sampler_status status = SAMPLER_OK;
    switch (reason) {
    case REASON_UPTIME:
        *value = uptime_s();
        break;
    case REASON_CPU:
        *value = cpu_percent();
        break;
    case REASON_MEMORY:
        *value = health_memory_kb();
        break;
    case REASON_FILES:
        *value = health_open_files();
        break;
    case REASON_FILES_MOST:
        *value = health_most_files();
        break;
    case REASON_CLIENTS:
    case REASON_CHANNELS:
        *value = served(reason);
        break;
    default:
        status = SAMPLER_INVALID;
        break;
    }
    epicsMutexUnlock(lock);
    return status == SAMPLER_OK && isnan(*value) ? SAMPLER_NO_VALUE : status;
}
