/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The load `network` with its interrupts' threads above all that is measured, as a network task above the measuring task is on vxWorks.
 */
#include "interrupt_threads.h"

extern const rts_load rts_load_network;

static void stop(void *state)
{
    rts_interrupt_threads_restore();
    rts_load_network.stop(state);
}

static rts_status start(void *state, const rts_load_spec *spec)
{
    if (!rts_interrupt_threads_there()) {
        return RTS_UNSUPPORTED;
    }
    const rts_status status = rts_load_network.start(state, spec);
    if (status != RTS_OK) {
        return status;
    }
    if (rts_interrupt_threads_raise() == 0) {
        stop(state);
        return RTS_UNSUPPORTED;
    }
    return RTS_OK;
}

static void achieved(void *state, rts_load_fact_fn fact, void *arg)
{
    rts_interrupt_threads_achieved(fact, arg);
    rts_load_network.achieved(state, fact, arg);
}

const rts_load rts_load_network_above = {
    .name = "network-above",
    .summary = "Linux with PREEMPT_RT only: the load network, its interrupts' threads above all that is measured",
    .unit = "flood pings at a time",
    .services = 1u << RTS_SERVICE_PROGRAMS,
    .state_bytes = RTS_LOAD_STATE_BYTES, /* network's, which fits */
    .needs = RTS_INTERRUPT_THREADS_NEED,
    .start = start,
    .stop = stop,
    .achieved = achieved,
};
