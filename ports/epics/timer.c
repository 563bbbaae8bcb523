/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * epicsTimer as the measured interrupt: the thread of its queue, above all that is measured, stands in for the handler.
 */
#include <string.h>

#include <epicsTimer.h>

#include "epics.h"

/* A handler that never catches up would keep the CPU from the very tasks that it wakes. */
#define BEHIND_NS 20000000u
#define REST_S 200e-6

static struct {
    rts_timer_spec spec;
    rts_isr isr;
    void *arg;
    epicsTimerQueueId queue;
    epicsTimerId id;
    rts_ticks due;
    rts_ticks behind_since; /**< when it began to serve late periods one after the other; 0: it keeps up */
    uint64_t rests;
    _Atomic bool stop;
    bool running;
} timer;

static void start_next(rts_ticks now)
{
    epicsTimerStartDelay(timer.id, timer.due > now ? (double)(timer.due - now) * 1e-9 : 0.0);
}

static void expire(void *unused)
{
    rts_ticks entered = rts_timer_clock_read();
    (void)unused;
    /* Every period is served, late or not, each with the time at which it was due. */
    do {
        if (timer.stop) {
            return;
        }
        timer.isr(timer.arg, timer.due, entered);
        if (entered < timer.due + timer.spec.period) {
            timer.behind_since = 0;
        } else if (timer.behind_since == 0) {
            timer.behind_since = entered;
        } else if (entered - timer.behind_since > BEHIND_NS) {
            timer.rests++; /* it is in the latencies of what comes meanwhile */
            epicsThreadSleep(REST_S);
            timer.behind_since = rts_timer_clock_read();
        }
        timer.due += timer.spec.period;
        entered = rts_timer_clock_read();
    } while (entered >= timer.due);
    start_next(entered);
}

rts_status rts_port_timer_start(const rts_timer_spec *spec, rts_isr isr, void *arg)
{
    if (strcmp(spec->source, "default") != 0 && strcmp(spec->source, "epicsTimer") != 0) {
        return RTS_INVALID;
    }
    if (spec->period == 0 || timer.running || spec->sched != RTS_SCHED_RT) {
        return RTS_INVALID;
    }
    timer.spec = *spec;
    timer.isr = isr;
    timer.arg = arg;
    timer.stop = false;
    /* Its thread is made here and inherits the caller's CPU. */
    timer.queue = epicsTimerQueueAllocate(0, RTS_EPICS_PRIORITY_HANDLER);
    if (timer.queue == NULL) {
        return RTS_NO_MEMORY;
    }
    timer.id = epicsTimerQueueCreateTimer(timer.queue, expire, NULL);
    const rts_ticks now = rts_timer_clock_read();
    timer.due = now + spec->phase + spec->period;
    timer.behind_since = 0;
    timer.rests = 0;
    timer.running = true;
    start_next(now);
    return RTS_OK;
}

uint64_t rts_port_timer_rests(void)
{
    return timer.rests;
}

const char *rts_port_timer_entered(const char *source)
{
    (void)source;
    return RTS_ENTERED_THREAD;
}

rts_status rts_port_timer_stop(void)
{
    if (!timer.running) {
        return RTS_INVALID;
    }
    timer.stop = true; /* a handler that is at work starts no further period */
    epicsTimerCancel(timer.id);
    epicsTimerQueueDestroyTimer(timer.queue, timer.id);
    epicsTimerQueueRelease(timer.queue);
    timer.running = false;
    return RTS_OK;
}
