/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The run's clock and the timer's: which ones they are, how fast they tick, sleeping by them, and how long code may run.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <string.h>
#include <sys/time.h>

#include "posix.h"

bool rts_posix_counter;
bool rts_posix_timer_counter;
rts_ticks (*rts_posix_clock)(void) = rts_posix_monotonic;

static rts_system_counter counter;
static struct {
    bool done;
    rts_status status;
    rts_clock_info info;
    char source[120];
} known;

#define CALIBRATION_NS 60000000u
#define BRACKETS 64
#define DISAGREEMENT_PPB 1000000u /* more than this and nobody is believed */

void rts_posix_clock_init(void)
{
    counter = rts_system_counter_facts();
    rts_posix_counter = RTS_POSIX_HAS_COUNTER && counter.usable;
}

static rts_ticks unsteered(void)
{
    const char *name = NULL;
    return rts_system_clock_ns(rts_system_reference_clock(&name));
}

static rts_ticks time_of_day(void)
{
    struct timeval now;
    (void)gettimeofday(&now, NULL);
    return (rts_ticks)now.tv_sec * 1000000u + (rts_ticks)now.tv_usec;
}

static uint64_t nanoseconds(void)
{
    return RTS_NS_PER_S;
}

static uint64_t microseconds(void)
{
    return 1000000u;
}

static const rts_run_clock clocks[] = {
    {
        .name = "monotonic",
        .summary = "CLOCK_MONOTONIC",
        .source = "definition (the kernel's own nanoseconds)",
        .open = nanoseconds,
        .read = rts_posix_monotonic,
    },
    {
        .name = "monotonic-raw",
        .summary = "CLOCK_MONOTONIC_RAW, which nothing adjusts",
        .source = "definition (nanoseconds that nobody steers)",
        .open = nanoseconds,
        .read = unsteered,
    },
    {
        .name = "gettimeofday",
        .summary = "the time of day in whole microseconds; setting the time of day sets it too",
        .source = "definition (whole microseconds; whoever sets the time of day sets it too)",
        .open = microseconds,
        .read = time_of_day,
    },
};

/** By index, those of the system first; NULL after the last. */
static const rts_run_clock *run_clock(size_t index)
{
    const size_t system_clocks = sizeof clocks / sizeof clocks[0];
    return index < system_clocks ? &clocks[index] : rts_system_clock_device(index - system_clocks);
}

/* The run's clock where it is not the counter. */
static struct {
    const rts_run_clock *clock;
    uint64_t hz;
    bool chosen; /**< by the user */
} clock_of_run = {&clocks[0], RTS_NS_PER_S, false};

#define COUNTER_NAMES (RTS_POSIX_HAS_COUNTER ? 2u : 0u)

const char *rts_posix_clock_name(size_t index, const char **summary)
{
    if (index < COUNTER_NAMES) {
        *summary = "the CPU's counter, if the kernel itself keeps time by it";
        return index == 0 ? "counter" : counter.name;
    }
    const rts_run_clock *const clock = run_clock(index - COUNTER_NAMES);
    *summary = clock == NULL ? NULL : clock->summary;
    return clock == NULL ? NULL : clock->name;
}

const char *rts_posix_clock_chosen(void)
{
    return !clock_of_run.chosen ? NULL : rts_posix_counter ? counter.name : clock_of_run.clock->name;
}

rts_status rts_posix_clock_choose(const char *name, const char **why)
{
    clock_of_run.chosen = true;
    if (strcmp(name, "counter") == 0 || strcmp(name, counter.name) == 0) {
        *why = "the CPU's counter is not one that the kernel itself keeps time by";
        return rts_posix_counter ? RTS_OK : RTS_UNSUPPORTED;
    }
    const rts_run_clock *clock;
    size_t index = 0;
    while ((clock = run_clock(index)) != NULL && strcmp(name, clock->name) != 0) {
        index++;
    }
    if (clock == NULL) {
        *why = "there is no such clock";
        return RTS_INVALID;
    }
    const uint64_t hz = clock->open();
    if (hz == 0u) {
        *why = "there is no such device here, or this user may not read it";
        return RTS_UNSUPPORTED;
    }
    rts_posix_counter = false;
    rts_posix_clock = clock->read;
    clock_of_run.clock = clock;
    clock_of_run.hz = hz;
    return RTS_OK;
}

/** A reading of the counter together with a clock's, and how far apart the two can be. */
typedef struct bracket {
    rts_ticks at;
    rts_ticks ns;
    rts_ticks width;
} bracket;

static bracket read_together(clockid_t clock)
{
    bracket best = {.width = UINT64_MAX};
    for (int i = 0; i < BRACKETS; i++) {
        struct timespec now;
        const rts_ticks before = rts_clock_read();
        (void)clock_gettime(clock, &now);
        const rts_ticks after = rts_clock_read();
        if (after - before < best.width) {
            best.width = after - before;
            best.at = before + best.width / 2;
            best.ns = (rts_ticks)now.tv_sec * RTS_NS_PER_S + (rts_ticks)now.tv_nsec;
        }
    }
    return best;
}

/** ticks over ns as a frequency; the product fits 64 bits while ticks is below 2^34 (5 s at 3 GHz). */
static uint64_t hz_between(const bracket *a, const bracket *b)
{
    const uint64_t ns = b->ns - a->ns;
    return ns == 0 ? 0 : ((b->at - a->at) * RTS_NS_PER_S + ns / 2) / ns;
}

static uint64_t apart_ppb(uint64_t a, uint64_t b)
{
    const uint64_t difference = a > b ? a - b : b - a;
    if (b == 0 || difference > UINT64_MAX / RTS_NS_PER_S) {
        return UINT64_MAX;
    }
    return difference * RTS_NS_PER_S / b;
}

static void sleep_ns(rts_ticks until)
{
    const struct timespec when = rts_timespec(until);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &when, NULL) == EINTR) {
    }
}

static rts_status calibrate(rts_clock_info *info)
{
    const char *name = NULL;
    const clockid_t reference = rts_system_reference_clock(&name);
    const bracket free_a = read_together(reference);
    const bracket steered_a = read_together(CLOCK_MONOTONIC);
    sleep_ns(rts_posix_monotonic() + CALIBRATION_NS);
    const bracket free_b = read_together(reference);
    const bracket steered_b = read_together(CLOCK_MONOTONIC);

    const uint64_t free_hz = hz_between(&free_a, &free_b);
    const uint64_t steered_hz = hz_between(&steered_a, &steered_b);
    /* Each end is known to half its bracket. */
    const uint64_t error_ppb =
        apart_ppb(free_b.at - free_a.at + (free_a.width + free_b.width) / 2, free_b.at - free_a.at);
    const uint64_t steering_ppb = apart_ppb(steered_hz, free_hz);
    if (free_hz == 0 || error_ppb > DISAGREEMENT_PPB || steering_ppb > DISAGREEMENT_PPB) {
        return RTS_BROKEN;
    }
    info->hz = free_hz;
    info->uncertainty_ppb = error_ppb + steering_ppb;
    (void)snprintf(known.source, sizeof known.source, "calibrated against %s over %u ms", name,
                   CALIBRATION_NS / 1000000u);
    if (counter.stated_hz != 0) {
        const uint64_t stated_ppb = apart_ppb(counter.stated_hz, free_hz);
        if (stated_ppb > DISAGREEMENT_PPB) {
            return RTS_BROKEN;
        }
        info->hz = counter.stated_hz;
        info->uncertainty_ppb = error_ppb + (stated_ppb > steering_ppb ? stated_ppb : steering_ppb);
        (void)snprintf(known.source, sizeof known.source, "%s, checked against %s", counter.stated_by, name);
    }
    return RTS_OK;
}

rts_status rts_port_clock_info(rts_clock_info *info)
{
    if (!known.done) {
        known.done = true;
        known.info.id = 0;
        if (rts_posix_counter) {
            known.info.name = counter.name;
            known.info.source = known.source;
            known.status = calibrate(&known.info);
        } else {
            known.info.name = clock_of_run.clock->name;
            known.info.source = clock_of_run.clock->source;
            known.info.hz = clock_of_run.hz;
            known.status = RTS_OK;
        }
    }
    if (known.status == RTS_OK) {
        *info = known.info;
    }
    return known.status;
}

rts_status rts_port_timer_clock_info(rts_clock_info *info)
{
    if (rts_posix_timer_counter || (!rts_posix_counter && rts_posix_clock == rts_posix_monotonic)) {
        return rts_port_clock_info(info); /* only where the run's clock is the counter too (rts_posix_probe_init) */
    }
    info->name = "monotonic";
    info->source = "definition (the kernel's own nanoseconds)";
    info->hz = RTS_NS_PER_S;
    info->uncertainty_ppb = 0;
    info->id = 1;
    return RTS_OK;
}

/** ticks of a clock of `hz` in ns, rounded up. */
static uint64_t to_ns(rts_ticks ticks, uint64_t hz)
{
    return ticks / hz * RTS_NS_PER_S + (ticks % hz * RTS_NS_PER_S + hz - 1) / hz;
}

rts_status rts_port_sleep_until(rts_ticks when)
{
    rts_clock_info clock;
    const rts_status status = rts_port_clock_info(&clock);
    if (status != RTS_OK) {
        return status;
    }
    /* Again and again: the two clocks agree only to within the uncertainty of hz. */
    for (rts_ticks now = rts_clock_read(); now < when; now = rts_clock_read()) {
        sleep_ns(rts_posix_monotonic() + to_ns(when - now, clock.hz));
    }
    return RTS_OK;
}

void rts_port_duty(rts_ticks *run, rts_ticks *rest)
{
    *run = 0;
    *rest = 0;
    uint64_t runtime_ns = 0;
    uint64_t period_ns = 0;
    rts_system_realtime_limit(&runtime_ns, &period_ns);
    rts_clock_info clock;
    if (!rts_posix_realtime() || period_ns == 0 || runtime_ns >= period_ns || rts_port_clock_info(&clock) != RTS_OK) {
        return;
    }
    uint64_t slice_ns = 0;
    uint64_t rest_ns = 0;
    rts_system_duty(runtime_ns, period_ns, &slice_ns, &rest_ns);
    *run = slice_ns * (clock.hz / 1000u) / 1000000u;
    *rest = rest_ns * (clock.hz / 1000u) / 1000000u;
}
