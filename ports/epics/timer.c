/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * epicsTimer as the measured interrupt: the threads of two queues, above all that is measured, stand in for the handler. They serve the periods
 * alternately: while one serves a period, the other's timer for the next is armed already, so that the task does not wait for the arming.
 */
#include <string.h>

#include <epicsMutex.h>
#include <epicsTimer.h>

#include "epics.h"

/* A handler that never catches up would keep the CPU from the very tasks that it wakes. */
#define BEHIND_NS 20000000u
#define REST_US 200u

#define SLEEPERS 2u

/** A queue's thread. */
typedef struct sleeper {
    epicsTimerQueueId queue;
    epicsTimerId id;
    rts_ticks until; /**< the period that it sleeps for */
} sleeper;

static struct {
    sleeper sleeper[SLEEPERS];
    rts_timer_spec spec;
    rts_isr isr;
    void *arg;
    epicsMutexId lock;      /**< of the members below: one period is served at a time, and all in order */
    rts_ticks due;          /**< the next period to serve */
    rts_ticks behind_since; /**< when it began to serve late periods one after the other; 0: it keeps up */
    uint64_t rests;
    _Atomic bool stop;
    bool running;
} timer;

static void start_next(const sleeper *self, rts_ticks now)
{
    epicsTimerStartDelay(self->id, self->until > now ? (double)(self->until - now) * 1e-9 : 0.0);
}

/** Serves the periods up to `last`, late or not, each with the time at which it was due. */
static void serve(rts_ticks last, rts_ticks entered)
{
    while (timer.due <= last && !timer.stop) {
        timer.isr(timer.arg, timer.due, entered);
        if (!rts_behind(timer.due, entered, timer.spec.period)) {
            timer.behind_since = 0;
        } else if (timer.behind_since == 0) {
            timer.behind_since = entered;
        } else if (entered - timer.behind_since > BEHIND_NS) {
            timer.rests++; /* the latencies of the periods that come meanwhile contain it */
            epicsThreadSleep(REST_US * 1e-6);
            timer.behind_since = rts_timer_clock_read();
        }
        timer.due += timer.spec.period;
        if (timer.due <= last) {
            entered = rts_timer_clock_read();
        }
    }
}

static void expire(void *arg)
{
    const rts_ticks entered = rts_timer_clock_read();
    sleeper *const self = arg;
    const sleeper *const other = &timer.sleeper[self == &timer.sleeper[0] ? 1 : 0];
    epicsMutexMustLock(timer.lock);
    serve(self->until, entered);
    self->until = other->until == timer.due ? timer.due + timer.spec.period : timer.due;
    epicsMutexUnlock(timer.lock);
    if (!timer.stop) {
        start_next(self, rts_timer_clock_read());
    }
}

/** Ends the threads that there are. */
static void end_sleepers(void)
{
    timer.stop = true; /* a handler that is at work starts no further period */
    for (unsigned i = 0; i < SLEEPERS && timer.sleeper[i].queue != NULL; i++) {
        sleeper *const one = &timer.sleeper[i];
        if (one->id != NULL) {
            epicsTimerCancel(one->id);
            epicsTimerQueueDestroyTimer(one->queue, one->id);
        }
        epicsTimerQueueRelease(one->queue);
        memset(one, 0, sizeof *one);
    }
    timer.running = false;
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
    timer.lock = timer.lock != NULL ? timer.lock : epicsMutexCreate();
    bool made = timer.lock != NULL;
    for (unsigned i = 0; i < SLEEPERS && made; i++) {
        sleeper *const one = &timer.sleeper[i];
        /* Its thread is made here and inherits the caller's CPU. */
        one->queue = epicsTimerQueueAllocate(0, RTS_EPICS_PRIORITY_HANDLER);
        one->id = one->queue != NULL ? epicsTimerQueueCreateTimer(one->queue, expire, one) : NULL;
        made = one->id != NULL;
    }
    if (!made) {
        end_sleepers();
        return RTS_NO_MEMORY;
    }
    const rts_ticks now = rts_timer_clock_read();
    timer.due = now + spec->phase + spec->period;
    timer.behind_since = 0;
    timer.rests = 0;
    timer.running = true;
    for (unsigned i = 0; i < SLEEPERS; i++) {
        timer.sleeper[i].until = timer.due + i * spec->period;
    }
    for (unsigned i = 0; i < SLEEPERS; i++) {
        start_next(&timer.sleeper[i], now);
    }
    return RTS_OK;
}

bool rts_port_timer_arms(const char *source)
{
    (void)source;
    return false; /* its expiry is behind the other thread's */
}

uint64_t rts_port_timer_rests(uint32_t *rest_us)
{
    *rest_us = REST_US;
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
    end_sleepers();
    return RTS_OK;
}
