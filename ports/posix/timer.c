/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The measured interrupt as user space sees it: a thread above all that is measured stands in for the handler.
 */
#include <signal.h>
#include <string.h>

#include "posix.h"

static struct {
    struct rts_thread thread;
    rts_timer_spec spec;
    const rts_timer_source *source;
    rts_isr isr;
    void *arg;
    bool running;
    bool stop;
    bool ended;
    uint64_t rests; /**< the handler's; read once it has ended */
} timer;

static bool probe;

rts_status rts_posix_probe_init(const char *device, const char **why)
{
    bool counter = false;
    const rts_status status = rts_system_probe_open(device, &counter, why);
    if (status != RTS_OK) {
        return status;
    }
    if (counter && !rts_posix_counter) {
        rts_system_probe_close();
        *why = "the probe stamps by the CPU's counter, which this kernel does not trust, or which --clock put aside";
        return RTS_BROKEN;
    }
    rts_posix_timer_counter = counter;
    probe = true;
    return RTS_OK;
}

void rts_posix_probe_release(void)
{
    rts_system_probe_close();
    rts_posix_timer_counter = false;
    probe = false;
}

bool rts_posix_probe(void)
{
    return probe;
}

bool rts_port_timer_in_kernel(const char *source)
{
    return probe && rts_system_probe_knows(source);
}

bool rts_port_timer_by_software(const char *source)
{
    return rts_system_probe_by_software(source);
}

rts_status rts_port_timer_raise(void)
{
    return probe ? rts_system_probe_raise() : RTS_UNSUPPORTED;
}

rts_status rts_port_timer_wait(rts_timer_stamps *stamps)
{
    return rts_system_probe_wait(stamps);
}

const rts_timer_source *rts_timer_source_find(const char *name)
{
    if (rts_posix_timer_counter) {
        return NULL; /* the others are due on another clock than the one that is read */
    }
    if (strcmp(name, "default") == 0 || strcmp(name, rts_posix_nanosleep.name) == 0) {
        return &rts_posix_nanosleep;
    }
    const rts_timer_source *source;
    for (size_t i = 0; (source = rts_system_timer_source(i)) != NULL; i++) {
        if (strcmp(name, source->name) == 0) {
            return source;
        }
    }
    return NULL;
}

bool rts_posix_timer_known(const char *name)
{
    return rts_port_timer_in_kernel(name) || rts_timer_source_find(name) != NULL || rts_system_timer_outside(name);
}

static bool stopped(void)
{
    return __atomic_load_n(&timer.stop, __ATOMIC_ACQUIRE);
}

/* A handler that never catches up would keep the CPU from the very tasks that it wakes, and the run from ending. */
#define BEHIND_NS 20000000u
#define REST_NS 200000u

/**
 * Rests if the handler has been serving late periods, one after the other, for too long; what it misses meanwhile it serves later, as ever, and the
 * rest is counted, since it is in those latencies. A handler that was kept from running has served nothing meanwhile, and catches up without one.
 */
static void rest_if_behind(rts_ticks due, rts_ticks entered, rts_ticks *behind_since)
{
    if (entered - due < timer.spec.period) {
        *behind_since = 0;
    } else if (*behind_since == 0) {
        *behind_since = entered;
    } else if (entered - *behind_since > BEHIND_NS) {
        const struct timespec rest = {.tv_sec = 0, .tv_nsec = REST_NS};
        timer.rests++;
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, NULL);
        *behind_since = rts_timer_clock_read();
    }
}

uint64_t rts_port_timer_rests(void)
{
    return timer.rests;
}

static void handle(void *unused)
{
    (void)unused;
    const rts_ticks period = timer.spec.period;
    rts_ticks behind_since = 0;
    rts_ticks due = rts_timer_clock_read() + timer.spec.phase + period;
    if (timer.source->open(due, period) != RTS_OK) {
        rts_port_fatal("the source of the measured interrupt cannot be opened");
    }
    while (!stopped()) {
        rts_ticks entered;
        for (uint64_t at_hand = timer.source->wait(due, &entered); at_hand > 0 && !stopped(); at_hand--) {
            timer.isr(timer.arg, due, entered);
            rest_if_behind(due, entered, &behind_since);
            due += period; /* every period is served, late or not */
            if (at_hand > 1) {
                entered = rts_timer_clock_read();
            }
        }
    }
    timer.source->close();
    __atomic_store_n(&timer.ended, true, __ATOMIC_RELEASE);
}

rts_status rts_port_timer_start(const rts_timer_spec *spec, rts_isr isr, void *arg)
{
    if (!timer.running) {
        timer.rests = 0;
    }
    if (rts_port_timer_in_kernel(spec->source)) {
        return rts_system_probe_start(spec);
    }
    const rts_timer_source *const source = rts_timer_source_find(spec->source);
    if (source == NULL || spec->period == 0 || timer.running) {
        return RTS_INVALID;
    }
    if (!rts_system_cpu_usable(spec->cpu)) {
        return RTS_INVALID;
    }
    timer.spec = *spec;
    timer.source = source;
    timer.isr = isr;
    timer.arg = arg;
    timer.stop = false;
    timer.ended = false;
    timer.thread.process = 0;
    timer.thread.cpu = spec->cpu;
    timer.thread.entry = handle;
    timer.thread.counted = false;
    const bool realtime = spec->sched == RTS_SCHED_RT && rts_posix_realtime();
    const rts_status status = rts_posix_thread_start(&timer.thread, realtime ? RTS_POSIX_PRIORITY_HANDLER : 0);
    timer.running = status == RTS_OK;
    return status;
}

const char *rts_port_timer_entered(const char *source)
{
    return rts_port_timer_in_kernel(source) ? RTS_ENTERED_HANDLER : RTS_ENTERED_THREAD;
}

rts_status rts_port_timer_stop(void)
{
    if (!timer.running) {
        return probe ? rts_system_probe_stop() : RTS_INVALID;
    }
    __atomic_store_n(&timer.stop, true, __ATOMIC_RELEASE);
    /* It may be anywhere between looking at `stop` and falling asleep: wake it until it says that it has seen it. */
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = 1000000};
    (void)pthread_kill(timer.thread.handle, RTS_POSIX_SIGNAL_WAKE);
    while (!__atomic_load_n(&timer.ended, __ATOMIC_ACQUIRE)) {
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
        (void)pthread_kill(timer.thread.handle, RTS_POSIX_SIGNAL_WAKE);
    }
    timer.running = false;
    return rts_port_thread_join(&timer.thread);
}
