/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The APS study's load: Channel Access clients, at the far end of the cable or out of the board, put to the records of the IOC that the engine is in, in
 * bursts, and monitor what each put processes.
 *
 * Connecting some thousand channels takes longer than most items, so the clients are started once and rest between two items.
 */
#include "ioc_clients.h"

#include <stdio.h>

#include "interrupt_threads.h"
#include "programs.h"

typedef struct ioc {
    ioc_clients_counts before;
    ioc_clients_counts after;
    rts_cable cable; /**< for the number of interrupts */
    uint32_t records;
    uint32_t pause_ms;
    bool unsettled; /**< the clients did not come to an end of their burst */
} ioc;

_Static_assert(sizeof(ioc) <= RTS_LOAD_STATE_BYTES, "the state of the load does not fit");

static char why[RTS_LOAD_WHY_BYTES];
static char what[RTS_LOAD_WHY_BYTES];

static void stop(void *state)
{
    ioc *const own = state;
    own->unsettled = own->records > 0 && !ioc_clients_hold();
    rts_cable_stop(&own->cable);
    own->after = ioc_clients_count();
}

static rts_status start(void *state, const rts_load_spec *spec)
{
    ioc *const own = state;
    why[0] = '\0';
    *own = (ioc){.records = spec->intensity * IOC_RECORDS_OF_ONE, .pause_ms = spec->intensity * IOC_PAUSE_MS_OF_ONE};
    if (ioc_clients_network(&own->cable) != RTS_OK) {
        return RTS_UNSUPPORTED;
    }
    (void)snprintf(what, sizeof what, "%u puts and monitors a burst, %u ms between two bursts, %s", own->records,
                   own->pause_ms, ioc_clients_where());
    if (own->records > 0) {
        const rts_status status = ioc_clients_burst(own->records, own->pause_ms, spec->cpu);
        if (status != RTS_OK) {
            (void)snprintf(why, sizeof why, "the clients of the IOC did not come to write to its records: %s",
                           ioc_clients_why());
            return status;
        }
    }
    own->before = ioc_clients_count();
    rts_cable_begin(&own->cable);
    return RTS_OK;
}

static const char *why_not(const void *state)
{
    (void)state;
    return why[0] == '\0' ? NULL : why;
}

static const char *remark(const void *state)
{
    (void)state;
    return what;
}

/** A burst lasts until the last monitor of the values put has come. */
static bool in_burst(const void *state)
{
    (void)state;
    return ioc_clients_in_burst();
}

static uint64_t faults(const void *state)
{
    const ioc *const own = state;
    return (own->unsettled ? 1u : 0u) + own->after.lost + (own->after.failed - own->before.failed) +
           (own->after.cut - own->before.cut);
}

static void achieved(void *state, rts_load_fact_fn fact, void *arg)
{
    const ioc *const own = state;
    const uint64_t puts = own->after.puts - own->before.puts;
    const uint64_t monitors = own->after.monitors - own->before.monitors;
    const uint64_t burst_ns = own->after.burst_ns - own->before.burst_ns;
    fact(arg, "records", own->records);
    fact(arg, "pause_ms", own->pause_ms);
    fact(arg, "bursts", own->after.bursts - own->before.bursts);
    fact(arg, "puts", puts);
    fact(arg, "monitors", monitors);
    fact(arg, "monitors_lost", own->after.lost);
    fact(arg, "monitors_merged", own->after.merged - own->before.merged);
    fact(arg, "puts_failed", own->after.failed - own->before.failed);
    fact(arg, "burst_ns", burst_ns);
    fact(arg, "burst_puts_per_s", rts_programs_rate(puts, burst_ns));
    fact(arg, "burst_monitors_per_s", rts_programs_rate(monitors, burst_ns));
    fact(arg, "outside", ioc_clients_elsewhere() ? 1u : 0u);
    rts_cable_achieved(&own->cable, fact, arg);
}

const rts_load rts_load_ioc = {
    .name = "ioc",
    .summary =
        "boards pc and target ioc only: bursts of Channel Access puts and monitors on the IOC that is measured in",
    .unit = "hundreds of puts and monitors a burst, and tenths of a second between two",
    .services = 1u << RTS_SERVICE_PROGRAMS,
    .state_bytes = sizeof(ioc),
    .needs = IOC_CLIENTS_NEED,
    .start = start,
    .stop = stop,
    .achieved = achieved,
    .why = why_not,
    .remark = remark,
    .faults = faults,
    .in_burst = in_burst,
};

static void stop_above(void *state)
{
    stop(state);
    rts_interrupt_threads_restore();
}

static rts_status start_above(void *state, const rts_load_spec *spec)
{
    if (!rts_interrupt_threads_there()) {
        (void)snprintf(why, sizeof why, "%s", RTS_INTERRUPT_THREADS_NEED);
        return RTS_UNSUPPORTED;
    }
    const rts_status status = start(state, spec);
    if (status == RTS_OK && rts_interrupt_threads_raise() == 0) {
        stop(state);
        return RTS_UNSUPPORTED;
    }
    return status;
}

static void achieved_above(void *state, rts_load_fact_fn fact, void *arg)
{
    rts_interrupt_threads_achieved(fact, arg);
    achieved(state, fact, arg);
}

const rts_load rts_load_ioc_above = {
    .name = "ioc-above",
    .summary = "with PREEMPT_RT only: the load ioc, its network's interrupt threads above all that is measured",
    .unit = "hundreds of puts and monitors a burst, and tenths of a second between two",
    .services = 1u << RTS_SERVICE_PROGRAMS,
    .state_bytes = sizeof(ioc),
    .needs = IOC_CLIENTS_NEED,
    .start = start_above,
    .stop = stop_above,
    .achieved = achieved_above,
    .why = why_not,
    .remark = remark,
    .faults = faults,
    .in_burst = in_burst,
};
