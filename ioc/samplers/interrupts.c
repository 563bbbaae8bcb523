/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A stream's source on the engine's chain.
 */
#include "interrupts.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "chain.h"
#include "stream.h"

#define NS_PER_S 1000000000u
#define SAMPLERS 2u /* the engine's timer and the module */
#define TEXT_SIZE 256

typedef struct interrupts {
    rts_chain chain;
    rts_chain_spec spec;
    unsigned period_us;
    char device[128]; /* empty: no device */
    rts_status (*open)(const char *device, const char **why);
    void (*release)(void);
    uint64_t hz; /* of the clock that stamps */
    char text[TEXT_SIZE];
} interrupts;

static stream *streams[SAMPLERS];
static atomic_bool measuring; /* one of them */

/** Keeps what is wrong in an operator's words, which name the device and its module. Returns `error`. */
static int tell(interrupts *own, int error, const char *what)
{
    if (own->device[0] == '\0') {
        (void)snprintf(own->text, sizeof own->text, "%s", what);
    } else {
        (void)snprintf(own->text, sizeof own->text, "%.100s of the module rtstone_probe: %.120s", own->device, what);
    }
    return error;
}

static const char *why(void *pvt, int error)
{
    (void)error;
    return ((interrupts *)pvt)->text;
}

/** Gives back what begin took. */
static void give_back(interrupts *own)
{
    if (own->device[0] != '\0') {
        own->release();
    }
    atomic_store(&measuring, false);
}

static int begin(interrupts *own)
{
    rts_clock_info clock;
    const char *what = "its clock is not to be trusted";
    rts_status status = own->device[0] == '\0' ? RTS_OK : own->open(own->device, &what);
    if (status == RTS_OK) {
        status = rts_port_timer_clock_info(&clock);
    }
    if (status != RTS_OK) {
        return tell(own, EIO, what);
    }
    own->hz = clock.hz;
    own->spec.timer.period = rts_chain_rescaled((rts_ticks)own->period_us * 1000u, clock.hz, NS_PER_S);
    status = rts_chain_open(&own->chain, &own->spec);
    if (status == RTS_OK) {
        status = rts_chain_start(&own->chain, RTS_PERIODS_ENDLESS);
    }
    if (status != RTS_OK) {
        rts_chain_close(&own->chain);
        return tell(own, EIO, "interrupts cannot be started there");
    }
    return 0;
}

static int start(void *pvt)
{
    interrupts *const own = pvt;
    if (atomic_exchange(&measuring, true)) {
        return tell(own, EBUSY, "another sampler of this IOC is measuring");
    }
    const int error = begin(own);
    if (error != 0) {
        give_back(own);
    }
    return error;
}

static void stop(void *pvt)
{
    interrupts *const own = pvt;
    if (rts_chain_stop(&own->chain) == RTS_BROKEN) {
        (void)fprintf(stderr, "%s: the kernel has merged signals: some samples are of two interrupts\n", own->device);
    }
#ifdef RTS_PORT_TIMER_RESTS
    uint32_t rest_us = 0;
    const uint64_t rests = rts_port_timer_rests(&rest_us);
    if (own->device[0] == '\0' && rests > 0) {
        (void)fprintf(
            stderr,
            "the timer's handler could not keep up with its period: %llu rests of the engine's own, %u us each, are in the latencies\n",
            (unsigned long long)rests, rest_us);
    }
#endif
    rts_chain_close(&own->chain);
    give_back(own);
}

static long to_ns(const interrupts *own, rts_latency ticks)
{
    const int64_t hz = (int64_t)own->hz;
    const int64_t ns = ticks / hz * NS_PER_S + ticks % hz * NS_PER_S / hz;
    return (long)(ns > LONG_MAX ? LONG_MAX : ns < -LONG_MAX ? -LONG_MAX : ns); /* 32 bits on some systems */
}

static int wait(void *pvt, delayMeasure *sample)
{
    interrupts *const own = pvt;
    rts_timer_stamps stamps;
    if (rts_chain_wait(&own->chain, &stamps) != RTS_OK) {
        return tell(own, EIO,
                    own->device[0] == '\0' ? "the engine's timer gives no interrupts" : "it gives no samples");
    }
    if (stamps.lost != 0) {
        return tell(own, ENOBUFS,
                    "interrupts were lost: this machine stood still for too long, or the period is too short for it");
    }
    const rts_chain_delays delays = rts_chain_split(&stamps);
    sample->interruptLatency = to_ns(own, delays.service);
    sample->topToBottom = delays.has_bottom ? to_ns(own, delays.to_bottom) : DELAY_NOT_MEASURED;
    sample->bottomToUserInterrupt = delays.has_routine ? to_ns(own, delays.to_routine) : DELAY_NOT_MEASURED;
    sample->contextSwitch = to_ns(own, delays.switching);
    sample->totalResponse = to_ns(own, delays.total);
    return 0;
}

/** What would end the engine's own program ends its samplers here; the IOC serves on. */
static void on_fatal(const char *reason)
{
    static char text[TEXT_SIZE];
    (void)snprintf(text, sizeof text, "the engine has failed (%s); it measures again when the IOC is started anew",
                   reason);
    for (unsigned i = 0; i < SAMPLERS && streams[i] != NULL; i++) {
        stream_break(streams[i], text);
    }
}

const char *interrupts_register(const interrupts_spec *spec)
{
    static const stream_source source = {.start = start, .wait = wait, .stop = stop, .why = why};
    unsigned place = 0;
    while (place < SAMPLERS && streams[place] != NULL) {
        place++;
    }
    interrupts *const own = place == SAMPLERS ? NULL : calloc(1, sizeof *own);
    if (own == NULL) {
        return "no memory";
    }
    own->spec.timer =
        (rts_timer_spec){.source = spec->source, .cpu = spec->cpu, .sched = RTS_SCHED_RT, .path = spec->path};
    own->spec.bottom = (rts_thread_attr){.name = "bottom-half",
                                         .priority = RTS_PRIORITY_TOP,
                                         .sched = RTS_SCHED_RT,
                                         .space = RTS_SPACE_SHARED,
                                         .cpu = spec->cpu};
    own->period_us = spec->period_us;
    own->open = spec->open;
    own->release = spec->release;
    (void)snprintf(own->device, sizeof own->device, "%s", spec->device == NULL ? "" : spec->device);
    stream *const made = stream_create(&source, own, spec->cpu);
    if (made == NULL) {
        free(own);
        return "its measuring task cannot be made";
    }
    streams[place] = made;
    const char *const wrong = interrupts_prepare(on_fatal);
    if (wrong != NULL) {
        return wrong; /* nothing is given back: the start-up script ends here */
    }
    return psamplerManager->registerSampler(spec->name, stream_get, made) == 0 ? NULL
                                                                               : "the name is taken, empty or too long";
}
