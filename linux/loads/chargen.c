/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * One half of SLAC's load by itself: a TCP stream of characters that a program of low priority copies to a serial line.
 */
#include "characters.h"

typedef struct chargen {
    rts_cable cable;
    rts_characters characters;
} chargen;

_Static_assert(sizeof(chargen) <= RTS_LOAD_STATE_BYTES, "the state of the load does not fit");

static bool flows(const void *arg)
{
    const chargen *own = arg;
    return rts_characters_flow(&own->characters);
}

static void stop(void *arg)
{
    chargen *own = arg;
    rts_cable_stop(&own->cable);
    rts_characters_end(&own->characters);
}

static rts_status start(void *arg, const rts_load_spec *spec)
{
    chargen *own = arg;
    *own = (chargen){.characters = {.line = -1}};
    if (spec->intensity > 1u) {
        return RTS_INVALID; /* there is one line */
    }
    rts_status status = rts_cable_init(&own->cable);
    if (status != RTS_OK || spec->intensity == 0) {
        rts_cable_begin(&own->cable);
        return status;
    }
    status = rts_characters_start(&own->characters, &own->cable, spec->cpu);
    if (status == RTS_OK) {
        status = rts_cable_until(&own->cable, flows, own);
    }
    if (status != RTS_OK) {
        stop(own);
        return status;
    }
    rts_characters_begin(&own->characters);
    rts_cable_begin(&own->cable);
    return RTS_OK;
}

static void achieved(void *arg, rts_load_fact_fn fact, void *fact_arg)
{
    chargen *own = arg;
    fact(fact_arg, "bytes_copied", rts_characters_copied(&own->characters));
    rts_cable_achieved(&own->cable, fact, fact_arg);
}

const rts_load rts_load_chargen = {
    .name = "chargen",
    .summary = "Linux only: a TCP stream between two network devices of this machine, copied to a serial line",
    .unit = "streams, at most one",
    .services = 1u << RTS_SERVICE_PROGRAMS,
    .state_bytes = sizeof(chargen),
    .needs = RTS_CABLE_NEEDS,
    .start = start,
    .stop = stop,
    .achieved = achieved,
};
