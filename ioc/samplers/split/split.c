/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A sampler of a timer's interrupt that the kernel itself stamps, by the BPF programs of the measurement interrupt-split: the timer's handler, the
 * switch to the task, and the total are of one interrupt, on a stock kernel, without a module.
 *
 * A library of its own, since not every machine can build it. A timer has no bottom half of its own, and sends no signal to a routine: those two
 * parameters are not measured. A sample that the kernel did not stamp has the total alone.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <iocsh.h>

#include <epicsExport.h>

#include "bpf/split.h"
#include "posix.h"
#include "stream.h"

/* How often, and how long, the measuring task sleeps so that the programs learn it. */
#define LEARNING_TRIES 100u
#define LEARNING_NS 100000

typedef struct sampler {
    rts_ticks period;
    rts_ticks due;
    rts_split_join join;
    const char *why;
} sampler;

static int fail(sampler *own, const char *why)
{
    own->why = why;
    return EIO;
}

static const char *why(void *pvt, int error)
{
    (void)error;
    return ((sampler *)pvt)->why;
}

/** Lets the programs learn which thread is measured: they do when this thread gives up the CPU. */
static bool be_known(void)
{
    const struct timespec moment = {.tv_sec = 0, .tv_nsec = LEARNING_NS};
    bool known = false;
    for (unsigned tries = 0; !known && tries < LEARNING_TRIES && rts_linux_split_watch() == RTS_OK; tries++) {
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
        known = rts_linux_split_watched();
    }
    return known;
}

static int start(void *pvt)
{
    sampler *const own = pvt;
    if (rts_linux_split_attach(true) != RTS_OK) {
        (void)rts_linux_split_attach(false);
        return fail(own, "the BPF programs cannot be attached to the kernel's tracepoints");
    }
    if (!be_known()) {
        (void)rts_linux_split_attach(false);
        return fail(own, "the BPF programs do not see the measuring task");
    }
    rts_split_join_begin(&own->join, rts_linux_split_flight().sequence);
    own->due = rts_timer_clock_read() + own->period;
    return 0;
}

static void stop(void *pvt)
{
    const sampler *const own = pvt;
    rts_linux_split_disarm();
    (void)rts_linux_split_attach(false);
    const uint64_t untold = own->join.counts[RTS_SPLIT_UNMATCHED] + own->join.counts[RTS_SPLIT_DISORDERED];
    if (untold > 0 || own->join.lost > 0) {
        (void)fprintf(stderr, "sampler split: %" PRIu64 " samples of which the kernel told nothing, %" PRIu64 " lost\n",
                      untold, own->join.lost);
    }
}

static int wait(void *pvt, delayMeasure *sample)
{
    sampler *const own = pvt;
    rts_split_sample seen = {.due = own->due};
    rts_linux_split_arm(own->due);
    seen.ready = rts_timer_clock_read();
    while (rts_posix_nanosleep.wait(own->due, &seen.user) == 0) {
        /* a signal, and none is for this thread */
    }
    own->due += own->period;
    rts_split_join_expect(&own->join, seen);
    if (!rts_linux_split_take(&own->join)) {
        return fail(own, "the ring of the BPF programs is broken");
    }
    rts_ticks stages[RTS_SPLIT_STAGES];
    const rts_split_event flight = rts_linux_split_flight();
    const bool told = rts_split_join_take(&own->join, &flight, stages) == RTS_SPLIT_MATCHED;
    sample->interruptLatency = told ? (long)stages[0] : DELAY_NOT_MEASURED;
    sample->topToBottom = DELAY_NOT_MEASURED;
    sample->bottomToUserInterrupt = DELAY_NOT_MEASURED;
    sample->contextSwitch = told ? (long)(stages[2] + stages[3]) : DELAY_NOT_MEASURED;
    sample->totalResponse = (long)(seen.user - seen.due);
    return 0;
}

static int configure(const char *name, int period_us, int cpu)
{
    static const char call[] = "splitSamplerConfigure";
    static const stream_source source = {.start = start, .wait = wait, .stop = stop, .why = why};
    static sampler own; /* the programs watch one task */
    int32_t resolved = 0;
    if (own.period != 0) {
        return sampler_refuse(call, name, "there is one already, and the BPF programs watch one task");
    }
    if (period_us < 50 || period_us > 1000000) {
        return sampler_refuse(call, name, "its period is 50 to 1000000 microseconds");
    }
    if (cpu < RTS_CPU_ANY || rts_port_cpu_resolve(cpu, &resolved) != RTS_OK) {
        return sampler_refuse(call, name, "there is no such CPU, or this process may not use it");
    }
    if (rts_system_split() != RTS_OK) {
        return sampler_refuse(call, name, rts_system_split_why_not());
    }
    own.period = (rts_ticks)period_us * 1000u;
    stream *const made = stream_create(&source, &own, resolved);
    if (made == NULL) {
        return sampler_refuse(call, name, "its measuring task cannot be made");
    }
    return psamplerManager->registerSampler(name, stream_get, made) == 0
               ? 0
               : sampler_refuse(call, name, "the name is taken, empty or too long");
}

static void split_configure(const iocshArgBuf *args)
{
    if (configure(args[0].sval, args[1].ival, args[2].ival) != 0) {
        (void)iocshSetError(-1);
    }
}

static void splitRegister(void)
{
    static const iocshArg name = {"sampler", iocshArgString};
    static const iocshArg period = {"period in microseconds", iocshArgInt};
    static const iocshArg cpu = {"CPU, -1 for any", iocshArgInt};
    static const iocshArg *const args[] = {&name, &period, &cpu};
    static const iocshFuncDef definition = {
        "splitSamplerConfigure", 3, args,
        "Registers a sampler: a timer's interrupt, stamped by the kernel. It takes CAP_BPF and CAP_PERFMON.\n"};
    iocshRegister(&definition, split_configure);
}

epicsExportRegistrar(splitRegister);
