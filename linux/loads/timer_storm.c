/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program that keeps many timers of the kernel armed: each expiry is an interrupt on the measured CPU, whoever runs there.
 */
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "programs.h"
#include "system.h"

#define TIMERS 64u
#define ROUND_NS 1000000u

enum { EXPIRIES, LATE_ROUNDS };

static uint32_t timers; /* one for each thousand a second */
static uint32_t seed;
static int files[TIMERS]; /* of this process */
static uint32_t made;

static bool arm(int file, uint64_t when_ns)
{
    const struct itimerspec once = {.it_value = rts_timespec(when_ns)};
    return timerfd_settime(file, TFD_TIMER_ABSTIME, &once, NULL) == 0;
}

/** One millisecond: every timer expires once in it, each at a moment drawn from the seed. */
static void step(rts_program *own)
{
    static uint64_t next_ns;
    static uint64_t random;
    for (; made < timers; made++) {
        files[made] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
        random = seed;
    }
    const uint64_t now_ns = rts_system_clock_ns(CLOCK_MONOTONIC);
    if (now_ns >= next_ns) { /* what is measured did not let it run in time */
        own->counts[LATE_ROUNDS] += next_ns == 0 ? 0u : 1u;
        next_ns = now_ns + 50000u;
    }
    for (uint32_t i = 0; i < timers; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        if (!arm(files[i], next_ns + (random >> 33) % ROUND_NS)) {
            own->failures++;
        }
    }
    for (uint32_t i = 0; i < timers; i++) {
        uint64_t expired = 0;
        if (read(files[i], &expired, sizeof expired) == (ssize_t)sizeof expired) {
            own->counts[EXPIRIES] += expired;
        } else {
            own->failures++;
            return;
        }
    }
    next_ns += ROUND_NS;
}

static rts_status start(void *state, const rts_load_spec *spec)
{
    if (spec->intensity > TIMERS) {
        return RTS_INVALID;
    }
    const rts_load_spec one = {.cpu = spec->cpu, .intensity = spec->intensity == 0 ? 0u : 1u, .seed = spec->seed};
    timers = spec->intensity;
    seed = (uint32_t)(spec->seed >> 32);
    made = 0;
    return rts_programs_start(state, &one, step);
}

static void achieved(void *state, rts_load_fact_fn fact, void *arg)
{
    static const char *const names[RTS_PROGRAM_COUNTS] = {"expiries", "late_rounds"};
    rts_programs_achieved(state, names, fact, arg);
    fact(arg, "expiries_per_s", rts_programs_per_s(state, rts_programs_sum(state, EXPIRIES)));
    fact(arg, "seed", seed);
}

const rts_load rts_load_timer_storm = {
    .name = "timer-storm",
    .summary = "Linux only: a program that keeps the kernel's timers expiring on the measured CPU",
    .unit = "thousand timers a second, at most 64",
    .services = 1u << RTS_SERVICE_PROGRAMS,
    .state_bytes = sizeof(rts_programs),
    .start = start,
    .stop = rts_programs_stop,
    .achieved = achieved,
    .faults = rts_programs_failures,
};
