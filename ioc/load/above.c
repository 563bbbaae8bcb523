/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The load `ioc` with the network's threads above all that is measured, as a network task above the measuring task is on vxWorks.
 */
#include "clients.h"
#include "network_threads.h"

extern const rts_load rts_load_ioc;

static bool there;

static void stop(void *state)
{
    rts_load_ioc.stop(state);
    ioc_network_threads_restore();
}

static rts_status start(void *state, const rts_load_spec *spec)
{
    there = ioc_network_threads_there();
    if (!there) {
        return RTS_UNSUPPORTED;
    }
    const rts_status status = rts_load_ioc.start(state, spec);
    if (status == RTS_OK && ioc_network_threads_raise() == 0) {
        rts_load_ioc.stop(state);
        return RTS_UNSUPPORTED;
    }
    return status;
}

static void achieved(void *state, rts_load_fact_fn fact, void *arg)
{
    ioc_network_threads_achieved(fact, arg);
    rts_load_ioc.achieved(state, fact, arg);
}

static const char *why(const void *state)
{
    return there ? rts_load_ioc.why(state) : ioc_network_threads_need;
}

static const char *remark(const void *state)
{
    return rts_load_ioc.remark(state);
}

static uint64_t faults(const void *state)
{
    return rts_load_ioc.faults(state);
}

const rts_load rts_load_ioc_above = {
    .name = "ioc-above",
    .summary = "with PREEMPT_RT and RTEMS only: the load ioc, its network's threads above all that is measured",
    .unit = IOC_CLIENTS_UNIT,
    .state_bytes = RTS_LOAD_STATE_BYTES, /* ioc's, which fits */
    .needs = IOC_CLIENTS_NEED,
    .start = start,
    .stop = stop,
    .achieved = achieved,
    .why = why,
    .remark = remark,
    .faults = faults,
    .in_burst = ioc_clients_in_burst,
};
