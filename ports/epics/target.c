/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The target: its facts, its clock, its memory, and the resources that a run acquires.
 */
#include <stdlib.h>

#include <epicsVersion.h>

#include "epics.h"

#if defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER ""
#endif

void rts_port_describe(rts_fact_fn fact, void *arg)
{
    rts_place_describe(fact, arg);
    fact(arg, "epics.base", EPICS_VERSION_FULL);
    if (sizeof COMPILER > 1) {
        fact(arg, "compiler", COMPILER);
    }
    fact(arg, "compiler.flags", RTS_EPICS_BUILD_FLAGS);
    fact(arg, "sched.rt", rts_epics_realtime() ? "epicsThread, real-time" : "epicsThread, not real-time");
    char text[80];
    (void)snprintf(text, sizeof text, "low %d, middle %d, high %d, top %d, handler %d of libCom's 0 to 99",
                   RTS_EPICS_PRIORITY_LOW, RTS_EPICS_PRIORITY_MIDDLE, RTS_EPICS_PRIORITY_HIGH, RTS_EPICS_PRIORITY_TOP,
                   RTS_EPICS_PRIORITY_HANDLER);
    fact(arg, "sched.priorities", text);
    fact(arg, "changed.memory_locked", rts_place_locked() ? "yes" : "no");
}

static void ask(void *answer)
{
    *(bool *)answer = rts_place_realtime();
}

bool rts_epics_realtime(void)
{
    static bool asked;
    static bool realtime;
    if (!asked) {
        asked = true;
        epicsThreadOpts opts = EPICS_THREAD_OPTS_INIT;
        opts.priority = RTS_EPICS_PRIORITY_TOP;
        opts.joinable = 1;
        epicsThreadId id = epicsThreadCreateOpt("ask", ask, &realtime, &opts);
        if (id != NULL) {
            epicsThreadMustJoin(id);
        }
    }
    return realtime;
}

rts_status rts_port_prepare(rts_degraded_fn degraded, void *arg)
{
    epicsThreadRealtimeLock();
    if (!rts_epics_realtime()) {
        degraded(arg, "no-realtime", "threads of libCom get no real-time class here: every priority is an ordinary one",
                 "setcap cap_sys_nice,cap_ipc_lock+p on the engine, or start it as root");
    }
    if (!rts_place_locked()) {
        degraded(arg, "no-memory-lock", "memory is not locked, so that a page fault may fall into a measurement", "");
    }
    return RTS_OK;
}

void rts_port_release(void) {}

rts_status rts_port_clock_info(rts_clock_info *info)
{
    info->name = "monotonic";
    info->source = "definition (epicsMonotonicGet counts nanoseconds)";
    info->hz = RTS_NS_PER_S;
    info->uncertainty_ppb = 0;
    info->id = 0;
    return RTS_OK;
}

rts_status rts_port_timer_clock_info(rts_clock_info *info)
{
    return rts_port_clock_info(info);
}

rts_status rts_port_sleep_until(rts_ticks when)
{
    for (rts_ticks now = rts_clock_read(); now < when; now = rts_clock_read()) {
        epicsThreadSleep((double)(when - now) * 1e-9);
    }
    return RTS_OK;
}

void rts_port_duty(rts_ticks *run, rts_ticks *rest)
{
    *run = 0;
    *rest = 0;
    if (rts_epics_realtime()) {
        rts_place_duty(run, rest); /* its clock counts nanoseconds */
    }
}

void *rts_port_memory(size_t bytes)
{
    void *const shared = rts_place_memory(bytes);
    return shared != NULL ? shared : calloc(1, bytes);
}

rts_status rts_port_cache_flush(void)
{
    return RTS_UNSUPPORTED;
}
