/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * stress-ng with the same stressors on every machine: computing, context switches, memory that is mapped and written, and pipes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"

#define PROGRAM "stress-ng"
#define WORKERS_MOST 64u

typedef struct stress {
    rts_commands commands; /**< the first, so that its functions take this for one */
    uint32_t workers;
    char text[160];
} stress;

_Static_assert(sizeof(stress) <= RTS_LOAD_STATE_BYTES, "the state of the load does not fit");

/** True if the shell that is asked for the program will find it. */
static bool is_installed(void)
{
    char path[512];
    const char *place = getenv("PATH");
    place = place != NULL ? place : "/usr/bin:/bin";
    while (*place != '\0') {
        const size_t length = strcspn(place, ":");
        const int written = snprintf(path, sizeof path, "%.*s/" PROGRAM, (int)length, place);
        if (written > 0 && (size_t)written < sizeof path && access(path, X_OK) == 0) {
            return true;
        }
        place += length + (place[length] == ':' ? 1u : 0u);
    }
    return false;
}

static rts_status start(void *state, const rts_load_spec *spec)
{
    stress *const own = state;
    if (spec->intensity > WORKERS_MOST) {
        return RTS_INVALID;
    }
    if (!is_installed()) {
        (void)snprintf(own->commands.why, sizeof own->commands.why,
                       "stress-ng is not installed: apt-get install stress-ng");
        return RTS_UNSUPPORTED;
    }
    own->workers = spec->intensity;
    (void)snprintf(own->text, sizeof own->text,
                   "exec " PROGRAM
                   " --quiet --seed %u --temp-path /tmp --cpu %u --switch %u --pipe %u --vm %u --vm-bytes 16m",
                   (unsigned)(spec->seed & UINT32_MAX), own->workers, own->workers, own->workers, own->workers);
    return rts_commands_start(&own->commands, spec, own->text, own->workers > 0 ? 1u : 0u);
}

static void achieved(void *state, rts_load_fact_fn fact, void *arg)
{
    const stress *const own = state;
    fact(arg, "workers", (uint64_t)own->workers * 4u);
    rts_commands_achieved(&own->commands, fact, arg);
}

const rts_load rts_load_stress_ng = {
    .name = "stress-ng",
    .summary = "Linux only: stress-ng, four kinds of workers on the measured CPU; others by --load-command",
    .unit = "workers of each kind, at most 64",
    .services = 1u << RTS_SERVICE_PROGRAMS,
    .state_bytes = sizeof(stress),
    .needs = "stress-ng is not installed (apt-get install stress-ng)",
    .start = start,
    .stop = rts_commands_stop,
    .achieved = achieved,
    .why = rts_commands_why,
    .remark = rts_commands_remark,
    .faults = rts_commands_faults,
};
