/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The APS study's load: Channel Access clients put to the records of the IOC that the engine is in, in
 * bursts, and monitor what each put processes.
 *
 * Connecting some thousand channels takes longer than most items, so the clients are started once and rest between two items.
 */
#include <stdio.h>

#include "clients.h"

typedef struct ioc {
    ioc_clients_counts before;
    ioc_clients_counts after;
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
    own->after = ioc_clients_stop();
}

static rts_status start(void *state, const rts_load_spec *spec)
{
    ioc *const own = state;
    why[0] = '\0';
    *own = (ioc){.records = spec->intensity * IOC_RECORDS_OF_ONE, .pause_ms = spec->intensity * IOC_PAUSE_MS_OF_ONE};
    if (ioc_clients_open() != RTS_OK) {
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
    own->before = ioc_clients_begin();
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
    fact(arg, "burst_puts_per_s", rts_load_per_s(puts, burst_ns));
    fact(arg, "burst_monitors_per_s", rts_load_per_s(monitors, burst_ns));
    fact(arg, "outside", ioc_clients_elsewhere() ? 1u : 0u);
    ioc_clients_network(fact, arg);
}

const rts_load rts_load_ioc = {
    .name = "ioc",
    .summary = "only where an IOC is measured in: bursts of Channel Access puts and monitors on that IOC",
    .unit = IOC_CLIENTS_UNIT,
    .state_bytes = sizeof(ioc),
    .needs = IOC_CLIENTS_NEED,
    .start = start,
    .stop = stop,
    .achieved = achieved,
    .why = why_not,
    .remark = remark,
    .faults = faults,
    .in_burst = ioc_clients_in_burst,
};
