/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A sampler on the engine's POSIX port: its timer thread stands in for the interrupt's handler and releases the semaphore that the measuring task
 * waits for, as in the measurement interrupt-response.
 *
 * There is no bottom half and no user-level interrupt service routine in this: those two parameters are not measured.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "posix.h"
#include "samplers.h"
#include "stream.h"

#define RING 128u
#define SAMPLER_TEXT 256
#define HANDLER_WAKE SIGUSR2 /* by which the port's timer thread is woken so that it can end */

typedef struct period {
    rts_ticks asserted;
    rts_ticks entered;
    rts_ticks released;
} period;

typedef struct engine {
    rts_timer_spec spec;
    struct rts_semaphore semaphore;
    _Atomic unsigned in;
    _Atomic unsigned out;
    _Atomic bool lost;
    period ring[RING];
    char text[128];
} engine;

static stream *broken_by_fatal; /* there is one engine, and one stream of it */

static void isr(void *arg, rts_ticks asserted, rts_ticks entered)
{
    engine *const own = arg;
    const unsigned in = atomic_load_explicit(&own->in, memory_order_relaxed);
    if (in - atomic_load_explicit(&own->out, memory_order_acquire) == RING) {
        atomic_store(&own->lost, true);
        return;
    }
    period *const now = &own->ring[in % RING];
    now->asserted = asserted;
    now->entered = entered;
    now->released = rts_timer_clock_read();
    atomic_store_explicit(&own->in, in + 1u, memory_order_release);
    (void)rts_port_semaphore_give_isr(&own->semaphore);
}

static int start(void *pvt)
{
    engine *const own = pvt;
    atomic_store(&own->in, 0);
    atomic_store(&own->out, 0);
    atomic_store(&own->lost, false);
    if (rts_port_semaphore_create(&own->semaphore, 0, RING) != RTS_OK) {
        return ENOMEM;
    }
    if (rts_port_timer_start(&own->spec, isr, own) != RTS_OK) {
        rts_port_semaphore_destroy(&own->semaphore);
        return EAGAIN;
    }
    return 0;
}

static int wait(void *pvt, delayMeasure *sample)
{
    engine *const own = pvt;
    if (rts_port_semaphore_take(&own->semaphore) != RTS_OK) {
        return EIO;
    }
    const rts_ticks resumed = rts_timer_clock_read();
    if (atomic_load(&own->lost)) {
        return ENOBUFS; /* the period is too short for this machine */
    }
    const unsigned out = atomic_load_explicit(&own->out, memory_order_relaxed);
    if (out == atomic_load_explicit(&own->in, memory_order_acquire)) {
        return EIO; /* woken, but by no interrupt */
    }
    const period now = own->ring[out % RING];
    atomic_store_explicit(&own->out, out + 1u, memory_order_release);
    /* The port's timer clock is CLOCK_MONOTONIC here: ticks are nanoseconds. */
    sample->interruptLatency = (long)(now.entered - now.asserted);
    sample->topToBottom = DELAY_NOT_MEASURED;
    sample->bottomToUserInterrupt = DELAY_NOT_MEASURED;
    sample->contextSwitch = (long)(resumed - now.released);
    sample->totalResponse = (long)(resumed - now.asserted);
    return 0;
}

static void stop(void *pvt)
{
    engine *const own = pvt;
    (void)rts_port_timer_stop();
    rts_port_semaphore_destroy(&own->semaphore);
}

/** An operator's words for what the functions above return. */
static const char *why(void *pvt, int error)
{
    engine *const own = pvt;
    const unsigned period_us = (unsigned)(own->spec.period / 1000u);
    switch (error) {
    case ENOBUFS:
        (void)snprintf(own->text, sizeof own->text,
                       "this machine stood still for %u periods of %u us, and interrupts were lost", RING, period_us);
        return own->text;
    case EAGAIN:
        return "the timer of the engine cannot be started";
    default:
        return strerror(error);
    }
}

/** What would end the engine's own program ends its sampler here, and the thread that met with it; the IOC serves on. */
static void on_fatal(const char *reason)
{
    static char text[SAMPLER_TEXT];
    (void)snprintf(text, sizeof text, "the engine has failed (%s); it measures again when the IOC is started anew",
                   reason);
    stream_break(broken_by_fatal, text);
    for (;;) {
        (void)pause();
    }
}

static void on_wake(int signal)
{
    (void)signal; /* its only use is that a sleep returns */
}

int engineSamplerConfigure(const char *name, int period_us, int cpu)
{
    static const char call[] = "engineSamplerConfigure";
    static const stream_source source = {.start = start, .wait = wait, .stop = stop, .why = why};
    static bool there;
    int32_t resolved = 0;
    if (there) {
        return sampler_refuse(call, name, "there is one already, and the engine has one timer");
    }
    if (period_us < 50 || period_us > 1000000) {
        return sampler_refuse(call, name, "its period is 50 to 1000000 microseconds");
    }
    if (cpu < RTS_CPU_ANY || rts_port_cpu_resolve(cpu, &resolved) != RTS_OK) {
        return sampler_refuse(call, name, "there is no such CPU, or this process may not use it");
    }
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_wake;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(HANDLER_WAKE, &action, NULL);

    engine *const own = calloc(1, sizeof *own);
    if (own == NULL) {
        return sampler_refuse(call, name, "no memory");
    }
    own->spec.period = (rts_ticks)period_us * 1000u;
    own->spec.source = "nanosleep";
    own->spec.cpu = resolved;
    own->spec.sched = RTS_SCHED_RT;
    stream *const made = stream_create(&source, own, resolved);
    if (made == NULL) {
        free(own);
        return sampler_refuse(call, name, "its measuring task cannot be made");
    }
    broken_by_fatal = made;
    rts_posix_fatal_instead = on_fatal;
    if (psamplerManager->registerSampler(name, stream_get, made) != 0) {
        return sampler_refuse(call, name, "the name is taken, empty or too long");
    }
    there = true;
    return 0;
}
