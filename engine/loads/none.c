/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * No load: nothing but what the target does anyway.
 */
#include "rtstone/load.h"

static rts_status start(void *state, const rts_load_spec *spec)
{
    (void)state;
    (void)spec;
    return RTS_OK;
}

static void stop(void *state)
{
    (void)state;
}

static void achieved(void *state, rts_load_fact_fn fact, void *arg)
{
    (void)state;
    (void)fact;
    (void)arg;
}

const rts_load rts_load_none = {
    .name = "none",
    .summary = "nothing but what the target does anyway",
    .unit = "",
    .start = start,
    .stop = stop,
    .achieved = achieved,
};
