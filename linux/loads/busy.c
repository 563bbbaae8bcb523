/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program that takes so many percent of the measured CPU's time: of each slot of ten milliseconds its share, by its own CPU time, and sleeps for the rest.
 */
#include <time.h>

#include "programs.h"
#include "system.h"

#define SLOT_NS 10000000u
#define MOST 95u /* percent: the measured code and the engine need the rest */

enum { SLOTS, LATE_SLOTS };

static uint32_t share_ns; /* of a slot */

/** One slot. If it does not get its share in time, the rest is not made up: later slots would then differ. */
static void step(rts_program *own)
{
    static uint64_t end_ns;
    const uint64_t begin_ns = rts_system_clock_ns(CLOCK_MONOTONIC);
    if (begin_ns > end_ns + SLOT_NS) {
        end_ns = begin_ns;
    }
    end_ns += SLOT_NS;
    const uint64_t enough_ns = rts_system_clock_ns(CLOCK_THREAD_CPUTIME_ID) + share_ns;
    while (rts_system_clock_ns(CLOCK_THREAD_CPUTIME_ID) < enough_ns && rts_system_clock_ns(CLOCK_MONOTONIC) < end_ns) {
        /* the reading of clocks is the work */
    }
    own->counts[SLOTS]++;
    own->counts[LATE_SLOTS] += rts_system_clock_ns(CLOCK_THREAD_CPUTIME_ID) < enough_ns ? 1u : 0u;
    const struct timespec until = rts_timespec(end_ns);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) != 0) {
        /* a signal: it sleeps on */
    }
}

static rts_status start(void *state, const rts_load_spec *spec)
{
    if (spec->intensity > MOST) {
        return RTS_INVALID;
    }
    const rts_load_spec one = {.cpu = spec->cpu, .intensity = spec->intensity == 0 ? 0u : 1u, .seed = spec->seed};
    share_ns = SLOT_NS / 100u * spec->intensity;
    return rts_programs_start(state, &one, step);
}

static void achieved(void *state, rts_load_fact_fn fact, void *arg)
{
    static const char *const names[RTS_PROGRAM_COUNTS] = {"slots", "late_slots"};
    rts_programs *const own = state;
    const uint64_t elapsed_us = rts_load_ns(own->ended - own->began) / 1000u;
    uint64_t used_ns = 0;
    rts_programs_achieved(own, names, fact, arg);
    if (own->running > 0 && elapsed_us > 0 && rts_port_thread_cpu_ns(&own->programs[0].thread, &used_ns) == RTS_OK) {
        fact(arg, "busy_permille", used_ns / elapsed_us);
    }
}

const rts_load rts_load_busy = {
    .name = "busy",
    .summary = "Linux only: a program that takes a share of the measured CPU's time",
    .unit = "percent of the CPU's time, at most 95",
    .services = 1u << RTS_SERVICE_PROGRAMS,
    .state_bytes = sizeof(rts_programs),
    .start = start,
    .stop = rts_programs_stop,
    .achieved = achieved,
    .faults = rts_programs_failures,
};
