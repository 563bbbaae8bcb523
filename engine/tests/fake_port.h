/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A port, a measurement and a load for the tests of the runner: every answer is scripted, every call is noted.
 *
 * For one test program only: it defines what the engine links with.
 */
#ifndef RTS_FAKE_PORT_H
#define RTS_FAKE_PORT_H

#include "support.h"

#include "rtstone/engine.h"
#include "rtstone/load.h"
#include "rtstone/measurement.h"

/** The settings that a test makes, and the results that it may inspect afterwards. */
static struct fake {
    const char *plan; /**< framed lines; NULL: no plan */
    size_t plan_at;
    uint64_t hz;
    bool still;          /**< the clock stands still */
    rts_ticks read_cost; /**< ticks that a reading takes */
    rts_ticks operation_cost;
    rts_ticks duty_run;
    rts_ticks duty_rest;
    uint32_t interrupted_after; /**< calls of rts_port_interrupted until it returns true; 0: never */
    uint32_t lines_until_dead;  /**< lines that the console takes; 0: all */
    rts_service denied;         /**< RTS_SERVICE_COUNT: none */
    rts_status prepare;
    rts_status setup;
    const char *why; /**< what setup says of it; NULL: nothing */
    rts_status load_start;
    rts_status other_start;
    uint64_t other_faults;
    uint32_t other_looks;
    uint64_t fail_after; /**< operations until `failure` is returned */
    rts_status failure;
    uint32_t extra_samples; /**< in each slice, beyond what was asked for */
    bool wrong_series;
    uint64_t check_low;

    rts_ticks now;
    rts_ticks rested_at;
    rts_ticks longest_without_rest;
    uint32_t rests;
    uint64_t operations;
    uint64_t samples;
    uint32_t slices;
    uint32_t longest_slice;
    uint32_t flushes;
    uint32_t looks;
    char calls[256]; /**< a letter a call, in order */
    capture out;
} fake;

static void *fake_memory;

static void note_call(char letter)
{
    const size_t length = strlen(fake.calls);
    if (length + 1 < sizeof fake.calls) {
        fake.calls[length] = letter;
    }
}

static int fake_reset(void **state)
{
    (void)state;
    memset(&fake, 0, sizeof fake);
    fake.hz = 1000000;
    fake.read_cost = 1;
    fake.operation_cost = 100;
    fake.denied = RTS_SERVICE_COUNT;
    fake.fail_after = UINT64_MAX;
    free(fake_memory);
    fake_memory = NULL;
    return 0;
}

static int fake_free(void **state)
{
    (void)state;
    free(fake_memory);
    fake_memory = NULL;
    return 0;
}

/* ---- clock ---------------------------------------------------------------------------------------------------- */

rts_ticks sim_clock_read(void)
{
    fake.now += fake.still ? 0 : fake.read_cost;
    return fake.now;
}

rts_ticks sim_timer_clock_read(void)
{
    return sim_clock_read() * 2;
}

rts_status rts_port_clock_info(rts_clock_info *info)
{
    *info = (rts_clock_info){.name = "fake", .source = "script", .hz = fake.hz};
    return fake.hz == 0 ? RTS_BROKEN : RTS_OK;
}

rts_status rts_port_timer_clock_info(rts_clock_info *info)
{
    *info = (rts_clock_info){.name = "fake-timer", .source = "script", .hz = 2 * fake.hz, .id = 1};
    return RTS_OK;
}

const char *rts_port_timer_entered(const char *source)
{
    (void)source;
    return RTS_ENTERED_HANDLER;
}

rts_status rts_port_sleep_until(rts_ticks when)
{
    const rts_ticks busy = fake.now - fake.rested_at;
    fake.longest_without_rest = busy > fake.longest_without_rest ? busy : fake.longest_without_rest;
    fake.now = when;
    fake.rested_at = when;
    fake.rests++;
    return RTS_OK;
}

void rts_port_duty(rts_ticks *run, rts_ticks *rest)
{
    *run = fake.duty_run;
    *rest = fake.duty_rest;
}

/* ---- target --------------------------------------------------------------------------------------------------- */

void rts_port_describe(rts_fact_fn fact, void *arg)
{
    fact(arg, "kernel.release", "fake");
}

rts_status rts_port_prepare(rts_degraded_fn degraded, void *arg)
{
    note_call('p');
    degraded(arg, "fake", "nothing here is real", "");
    return fake.prepare;
}

void rts_port_release(void)
{
    note_call('r');
}

rts_status rts_port_supports(rts_service service)
{
    if (service == fake.denied) {
        return RTS_DENIED;
    }
    return service == RTS_SERVICE_PROCESSES ? RTS_UNSUPPORTED : RTS_OK;
}

const char *rts_port_substitute(rts_service service)
{
    return service == RTS_SERVICE_PING_SEMAPHORE ? "two semaphores" : NULL;
}

const char *rts_port_why_not(rts_service service)
{
    return service == fake.denied ? "the script says no" : NULL;
}

rts_status rts_port_cpu_resolve(int32_t wanted, int32_t *actual)
{
    *actual = wanted == RTS_CPU_ANY ? 3 : wanted;
    return *actual < 4 ? RTS_OK : RTS_INVALID;
}

int32_t rts_port_priority_native(rts_priority priority, rts_sched sched)
{
    return sched == RTS_SCHED_TS ? 0 : 10 * (int32_t)priority;
}

rts_status rts_port_console_write(const char *bytes, size_t count)
{
    if (fake.lines_until_dead != 0 && fake.out.lines == fake.lines_until_dead) {
        return RTS_FAILED;
    }
    return capture_line(&fake.out, bytes, count);
}

/** Gives the plan in bites of 7 bytes, so that lines come in pieces. */
long rts_port_plan_read(char *buffer, size_t room)
{
    if (fake.plan == NULL) {
        return 0;
    }
    size_t length = strlen(fake.plan + fake.plan_at);
    length = length < 7 ? length : 7;
    length = length < room ? length : room;
    memcpy(buffer, fake.plan + fake.plan_at, length);
    fake.plan_at += length;
    return (long)length;
}

bool rts_port_interrupted(void)
{
    return fake.interrupted_after != 0 && ++fake.looks > fake.interrupted_after;
}

_Noreturn void rts_port_fatal(const char *why)
{
    fprintf(stderr, "%s\n", why);
    abort();
}

void *rts_port_memory(size_t bytes)
{
    free(fake_memory);
    fake_memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (fake_memory != NULL) {
        memset(fake_memory, 0, bytes);
    }
    return fake_memory;
}

rts_status rts_port_cache_flush(void)
{
    fake.flushes++;
    return fake.denied == RTS_SERVICE_COUNT ? RTS_OK : RTS_FAILED;
}

/* ---- measurement and load ------------------------------------------------------------------------------------- */

/** The n-th sample's value: negative, small and beyond the histogram in rotation. */
static rts_latency fake_value(uint64_t n)
{
    return n % 10 == 3 ? -(rts_latency)n : n % 100 == 50 ? (rts_latency)1 << 40 : (rts_latency)(n * 7 % 5000);
}

static rts_status fake_setup(rts_run *run)
{
    note_call('s');
    fake.rested_at = fake.now; /* what the engine did before is no load */
    (void)rts_run_thread(run, "fake", RTS_PRIORITY_TOP);
    if (fake.why != NULL) {
        rts_run_why(run, fake.why);
    }
    return fake.setup;
}

static void fake_teardown(rts_run *run)
{
    (void)run;
    note_call('t');
}

static void note_slice(uint32_t length)
{
    fake.slices++;
    fake.longest_slice = length > fake.longest_slice ? length : fake.longest_slice;
}

static rts_status fake_single(rts_run *run, uint32_t samples)
{
    const uint32_t all = samples + fake.extra_samples;
    note_slice(samples);
    for (uint32_t i = 0; i < all; i++) {
        if (fake.operations == fake.fail_after) {
            return fake.failure;
        }
        rts_run_before(run);
        fake.now += fake.operation_cost;
        fake.operations++;
        rts_run_sample(run, fake.wrong_series ? 3 : 0, fake_value(fake.samples), rts_clock_read());
        rts_run_sample(run, 1, 1, rts_clock_read());
        fake.samples += rts_run_warming(run) ? 0 : 1;
    }
    rts_run_figure(run, "moved", "bytes", samples);
    rts_run_check(run, "scripted", samples, fake.check_low != 0 ? samples + fake.check_low : samples, samples * 2);
    return RTS_OK;
}

static rts_status fake_batch(rts_run *run, uint32_t operations, rts_ticks *total)
{
    (void)run;
    note_slice(operations);
    if (fake.operations >= fake.fail_after) {
        return fake.failure;
    }
    fake.operations += operations;
    fake.now += operations * fake.operation_cost;
    *total = operations * fake.operation_cost;
    return RTS_OK;
}

static const rts_measurement fake_both = {.name = "both",
                                          .meaning = 3,
                                          .series = {"first", "second"},
                                          .services = 1u << RTS_SERVICE_PING_SEMAPHORE,
                                          .passes = RTS_PASS_BATCH | RTS_PASS_SINGLE,
                                          .setup = fake_setup,
                                          .batch = fake_batch,
                                          .single = fake_single,
                                          .teardown = fake_teardown};
static const rts_measurement fake_limited = {
    .name = "limited", .series = {"fill"}, .passes = RTS_PASS_BATCH, .batch_limit = 8, .batch = fake_batch};
static const rts_measurement fake_lacking = {.name = "lacking",
                                             .series = {"x"},
                                             .services = 1u << RTS_SERVICE_PROCESSES,
                                             .passes = RTS_PASS_SINGLE,
                                             .single = fake_single};
static const rts_measurement fake_timed = {.name = "timed",
                                           .series = {"a", "b"},
                                           .passes = RTS_PASS_SINGLE,
                                           .traits = RTS_ON_TIMER,
                                           .paced_by = RTS_PACED_BY_TIMER,
                                           .single = fake_single};

void rts_measurement_ping_account(void *state, uint32_t rounds, int64_t *values, size_t count)
{
    (void)state;
    for (size_t i = 0; i < count; i++) {
        values[i] =
            (int64_t)rounds * 3 + (i % 2u == 0u ? 40 : 0); /* 3 ticks a round, and an amount below the rounding */
    }
}

/** Its samples are the number of its choice. */
static rts_status fake_chosen_single(rts_run *run, uint32_t samples)
{
    for (uint32_t i = 0; i < samples; i++) {
        rts_run_sample(run, 0, (rts_latency)rts_run_choice(run), rts_clock_read());
    }
    return RTS_OK;
}

static const rts_choice fake_choices[] = {{"one", "the first"}, {"two", "the second"}, {"two-more", "the third"}};
static const rts_measurement fake_chosen = {.name = "chosen",
                                            .meaning = 5,
                                            .passes = RTS_PASS_SINGLE,
                                            .single = fake_chosen_single,
                                            .choices = fake_choices,
                                            .choice_count = 3};

const rts_measurement *const rts_measurements[] = {&fake_both, &fake_limited, &fake_lacking, &fake_timed, &fake_chosen};
const size_t rts_measurement_count = 5;

static rts_status fake_load_start(void *state, const rts_load_spec *spec)
{
    (void)state;
    note_call(spec->cpu == 3 && spec->intensity == 2 ? 'L' : '?');
    return fake.load_start;
}

static rts_status fake_other_start(void *state, const rts_load_spec *spec)
{
    (void)state;
    (void)spec;
    note_call('O');
    return fake.other_start;
}

static void fake_other_stop(void *state)
{
    (void)state;
    note_call('o');
}

static const char *fake_other_why(const void *state)
{
    (void)state;
    return "there is no room on the disk";
}

static const char *fake_other_remark(const void *state)
{
    (void)state;
    return "it writes to a disk";
}

static uint64_t fake_other_faults(const void *state)
{
    (void)state;
    return fake.other_faults;
}

static void fake_load_stop(void *state)
{
    (void)state;
    note_call('l');
}

static void fake_load_achieved(void *state, rts_load_fact_fn fact, void *arg)
{
    (void)state;
    fact(arg, "iterations", UINT64_MAX);
}

static const rts_load fake_load = {
    .name = "busy", .start = fake_load_start, .stop = fake_load_stop, .achieved = fake_load_achieved};

/** Every second sample is in a burst, the first of them. */
static bool fake_other_in_burst(const void *state)
{
    (void)state;
    return fake.other_looks++ % 2u == 0;
}

static const rts_load fake_other = {
    .name = "other",
    .substitutes = "it stands in for a load",
    .start = fake_other_start,
    .stop = fake_other_stop,
    .achieved = fake_load_achieved,
    .why = fake_other_why,
    .remark = fake_other_remark,
    .faults = fake_other_faults,
    .in_burst = fake_other_in_burst,
};

const rts_load *const rts_loads[] = {&fake_load, &fake_other};
const size_t rts_load_count = 2;

const rts_load *rts_load_find(const char *name)
{
    return strcmp(name, "busy") == 0 ? &fake_load : strcmp(name, "other") == 0 ? &fake_other : NULL;
}

#endif
