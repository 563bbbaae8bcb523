/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the hardware alone serves, and why not the rest.
 */
#include "board_hooks.h"

rts_status rts_port_supports(rts_service service)
{
    if (service == RTS_SERVICE_TRAFFIC) {
        return BOARD_HAS_TRAFFIC ? RTS_OK : RTS_UNSUPPORTED;
    }
    return service == RTS_SERVICE_TIMER ? RTS_OK : RTS_UNSUPPORTED;
}

const char *rts_port_substitute(rts_service service)
{
    if (service == RTS_SERVICE_TIMER) {
        return "no kernel: the task response is that of a loop that polls a flag, which the handler raises";
    }
    if (service == RTS_SERVICE_TRAFFIC) {
        return "no kernel: the load's handlers take what comes, no task does";
    }
    return NULL;
}

const char *rts_port_why_not(rts_service service)
{
    if (service == RTS_SERVICE_TRAFFIC) {
        return BOARD_TRAFFIC_WHY_NOT;
    }
    return service == RTS_SERVICE_CACHE_FLUSH ? "the emulated board has no caches" : "no kernel: there is one thread";
}

void rts_kernel_describe(rts_fact_fn fact, void *arg)
{
    fact(arg, "kernel.sysname", "none");
    fact(arg, "kernel.release", "bare metal");
    fact(arg, "sched.rt", "one thread; interrupts preempt it");
    fact(arg, "idle", "never halts");
}

rts_status rts_port_prepare(rts_degraded_fn degraded, void *arg)
{
    (void)degraded;
    (void)arg;
    board_interrupts_on();
    return RTS_OK;
}

void rts_port_release(void) {}
