/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The measured interrupt as user space sees it: a thread above all that is measured stands in for the handler.
 */
#include <signal.h>
#include <string.h>

#include "posix.h"

/** Threads that sleep alternately: while one serves a period, the other's timer for the next is armed already. */
#define SLEEPERS 2u

/** A thread that stands in for the handler. */
typedef struct sleeper {
    struct rts_thread thread;
    rts_ticks until; /**< the period that it sleeps for; 0: for none yet */
    bool ended;
} sleeper;

static struct {
    sleeper sleeper[SLEEPERS];
    unsigned sleepers; /**< threads of them that there are */
    rts_timer_spec spec;
    const rts_timer_source *source;
    rts_isr isr;
    void *arg;
    pthread_mutex_t lock; /**< of the members below: one period is served at a time, and all in order */
    bool opened;
    rts_ticks due; /**< the next period to serve */
    rts_ticks behind_since;
    uint64_t rests; /**< the handler's; read once it has ended */
    bool running;
    bool stop;
} timer = {.lock = PTHREAD_MUTEX_INITIALIZER};

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

static bool in_kernel(const char *source)
{
    return rts_port_timer_answer(source) != RTS_TIMER_ENGINE;
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

/** True for the default: two threads, so that the one that has served a period arms no timer that is due next. */
static bool is_pair(const char *name)
{
    return strcmp(name, "default") == 0 || strcmp(name, RTS_POSIX_TIMER_PAIR) == 0;
}

bool rts_posix_timer_known(const char *name)
{
    return in_kernel(name) || (is_pair(name) && !rts_posix_timer_counter) || rts_timer_source_find(name) != NULL ||
           rts_system_timer_outside(name);
}

static bool stopped(void)
{
    return __atomic_load_n(&timer.stop, __ATOMIC_ACQUIRE);
}

/* A handler that never catches up would keep the CPU from the very tasks that it wakes, and the run from ending. */
#define BEHIND_NS 20000000u
#define REST_US 200u

/**
 * Rests if the handler has been serving late periods, one after the other, for too long. It serves periods that it misses meanwhile later, as usual.
 * The rest is counted, since their latencies contain it. A handler that was kept from running has served nothing meanwhile; it needs no rest.
 */
static void rest_if_behind(rts_ticks due, rts_ticks entered)
{
    if (!rts_behind(due, entered, timer.spec.period)) {
        timer.behind_since = 0;
    } else if (timer.behind_since == 0) {
        timer.behind_since = entered;
    } else if (entered - timer.behind_since > BEHIND_NS) {
        const struct timespec rest = {.tv_sec = 0, .tv_nsec = (long)REST_US * 1000};
        timer.rests++;
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, NULL);
        timer.behind_since = rts_timer_clock_read();
    }
}

bool rts_port_timer_arms(const char *source)
{
    return strcmp(source, rts_posix_nanosleep.name) == 0;
}

uint64_t rts_port_timer_rests(uint32_t *rest_us)
{
    *rest_us = REST_US;
    return timer.rests;
}

/** The first that runs sets the beginning, so that the threads' creation is in no latency. */
static void open_once(void)
{
    if (timer.opened) {
        return;
    }
    timer.opened = true;
    timer.due = rts_timer_clock_read() + timer.spec.phase + timer.spec.period;
    if (timer.source->open(timer.due, timer.spec.period) != RTS_OK) {
        rts_port_fatal("the source of the measured interrupt cannot be opened");
    }
}

/** Serves the periods up to `last`, late or not, each with the time at which it was due. */
static void serve(rts_ticks last, rts_ticks entered)
{
    while (timer.due <= last && !stopped()) {
        timer.isr(timer.arg, timer.due, entered);
        rest_if_behind(timer.due, entered);
        timer.due += timer.spec.period;
        if (timer.due <= last) {
            entered = rts_timer_clock_read();
        }
    }
}

/** The period that this thread is to sleep for: the next, or the one behind it if the other thread sleeps for that. */
static rts_ticks choose(const sleeper *self)
{
    bool taken = false;
    for (unsigned i = 0; i < timer.sleepers; i++) {
        taken |= &timer.sleeper[i] != self && timer.sleeper[i].until == timer.due;
    }
    return taken ? timer.due + timer.spec.period : timer.due;
}

static void handle(void *arg)
{
    sleeper *const self = arg;
    (void)pthread_mutex_lock(&timer.lock);
    open_once();
    while (!stopped()) {
        rts_ticks entered = 0;
        self->until = choose(self);
        (void)pthread_mutex_unlock(&timer.lock);
        const uint64_t at_hand = timer.source->wait(self->until, &entered);
        if (pthread_mutex_trylock(&timer.lock) !=
            0) { /* without real-time priorities it may wake while the other serves */
            (void)pthread_mutex_lock(&timer.lock);
            entered = rts_timer_clock_read();
        }
        if (at_hand > 0) {
            serve(self->until + (at_hand - 1u) * timer.spec.period, entered);
        }
    }
    (void)pthread_mutex_unlock(&timer.lock);
    __atomic_store_n(&self->ended, true, __ATOMIC_RELEASE);
}

/** Ends the threads that there are. */
static rts_status end_sleepers(void)
{
    rts_status status = RTS_OK;
    __atomic_store_n(&timer.stop, true, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < timer.sleepers; i++) {
        sleeper *const one = &timer.sleeper[i];
        /* The thread may be anywhere between reading `stop` and falling asleep: wake it until it confirms that it has seen `stop`. */
        const struct timespec moment = {.tv_sec = 0, .tv_nsec = 1000000};
        (void)pthread_kill(__atomic_load_n(&one->thread.handle, __ATOMIC_RELAXED), RTS_POSIX_SIGNAL_WAKE);
        while (!__atomic_load_n(&one->ended, __ATOMIC_ACQUIRE)) {
            (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
            (void)pthread_kill(__atomic_load_n(&one->thread.handle, __ATOMIC_RELAXED), RTS_POSIX_SIGNAL_WAKE);
        }
        const rts_status joined = rts_port_thread_join(&one->thread);
        status = status == RTS_OK ? joined : status;
    }
    if (timer.opened) {
        timer.source->close();
    }
    return status;
}

static rts_status start_sleepers(unsigned count)
{
    const bool realtime = timer.spec.sched == RTS_SCHED_RT && rts_posix_realtime();
    rts_status status = RTS_OK;
    timer.sleepers = 0;
    (void)pthread_mutex_lock(&timer.lock); /* none begins before all are there */
    while (timer.sleepers < count && status == RTS_OK) {
        sleeper *const one = &timer.sleeper[timer.sleepers];
        memset(one, 0, sizeof *one);
        one->thread.cpu = timer.spec.cpu;
        one->thread.entry = handle;
        one->thread.arg = one;
        status = rts_posix_thread_start(&one->thread, realtime ? RTS_POSIX_PRIORITY_HANDLER : 0);
        timer.sleepers += status == RTS_OK ? 1u : 0u;
    }
    (void)pthread_mutex_unlock(&timer.lock);
    return status;
}

rts_status rts_port_timer_start(const rts_timer_spec *spec, rts_isr isr, void *arg)
{
    if (!timer.running) {
        timer.rests = 0;
    }
    if (in_kernel(spec->source)) {
        return rts_system_probe_start(spec);
    }
    const bool pair = is_pair(spec->source);
    const rts_timer_source *const source = rts_timer_source_find(pair ? rts_posix_nanosleep.name : spec->source);
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
    timer.opened = false;
    timer.behind_since = 0;
    const rts_status status = start_sleepers(pair ? SLEEPERS : 1u);
    timer.running = status == RTS_OK;
    if (status != RTS_OK) {
        (void)end_sleepers();
    }
    return status;
}

const char *rts_port_timer_entered(const char *source)
{
    return in_kernel(source) ? RTS_ENTERED_HANDLER : RTS_ENTERED_THREAD;
}

rts_status rts_port_timer_stop(void)
{
    if (!timer.running) {
        return probe ? rts_system_probe_stop() : RTS_INVALID;
    }
    timer.running = false;
    return end_sleepers();
}
