/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A command of the user's on the measured CPU.
 */
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"

static rts_status start(void *state, const rts_load_spec *spec)
{
    rts_commands *const own = state;
    const char *const text = getenv("RTSTONE_LOAD_COMMAND");
    if (text == NULL || text[0] == '\0') {
        (void)snprintf(own->why, sizeof own->why,
                       "no command is given: --load-command 'stress-ng --cpu 1', or RTSTONE_LOAD_COMMAND");
        return RTS_UNSUPPORTED;
    }
    return rts_commands_start(own, spec, text, spec->intensity);
}

static void achieved(void *state, rts_load_fact_fn fact, void *arg)
{
    const rts_commands *const own = state;
    fact(arg, "programs", own->copies);
    rts_commands_achieved(own, fact, arg);
}

const rts_load rts_load_command = {
    .name = "command",
    .summary = "Linux only: a command of yours (--load-command), stress-ng say, on the measured CPU",
    .unit = "copies of it, at most 16",
    .services = 1u << RTS_SERVICE_PROGRAMS,
    .state_bytes = sizeof(rts_commands),
    .needs = "no command is given (--load-command)",
    .start = start,
    .stop = rts_commands_stop,
    .achieved = achieved,
    .why = rts_commands_why,
    .remark = rts_commands_remark,
    .faults = rts_commands_faults,
};
