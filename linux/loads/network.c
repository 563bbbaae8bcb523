/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * SLAC's load within one machine: flood ping between two network devices, and a program of low priority that copies a TCP stream of
 * characters to a serial line. All through the devices' interrupts.
 */
#include "characters.h"
#include "pings.h"

#define PINGERS 8u

typedef struct network {
    rts_cable cable;
    rts_characters characters;
    rts_pinger pingers[PINGERS];
    uint32_t running;
    uint64_t sent_before; /**< while it was set up */
    uint64_t answered_before;
} network;

_Static_assert(sizeof(network) <= RTS_LOAD_STATE_BYTES, "the state of the load does not fit");

static bool everything_flows(const void *arg)
{
    const network *own = arg;
    bool answered = true;
    for (uint32_t i = 0; i < own->running; i++) {
        answered = answered && __atomic_load_n(&own->pingers[i].answered, __ATOMIC_RELAXED) > 0;
    }
    return answered && rts_characters_flow(&own->characters);
}

static void sum_pings(const network *own, uint64_t *sent, uint64_t *answered)
{
    *sent = 0;
    *answered = 0;
    for (uint32_t i = 0; i < own->running; i++) {
        *sent += __atomic_load_n(&own->pingers[i].sent, __ATOMIC_RELAXED);
        *answered += __atomic_load_n(&own->pingers[i].answered, __ATOMIC_RELAXED);
    }
}

static void stop(void *arg)
{
    network *own = arg;
    rts_cable_stop(&own->cable);
    for (uint32_t i = 0; i < PINGERS; i++) {
        rts_cable_end(&own->pingers[i].program);
    }
    rts_characters_end(&own->characters);
    rts_cable_close(&own->cable);
}

static rts_status start_over(network *own, const rts_load_spec *spec, bool is_virtual)
{
    *own = (network){.characters = {.line = -1}, .cable = {.is_virtual = is_virtual, .terminal = -1}};
    if (spec->intensity > PINGERS) {
        return RTS_INVALID;
    }
    rts_status status = !is_virtual            ? rts_cable_init(&own->cable)
                        : spec->intensity == 0 ? RTS_OK
                                               : rts_cable_init_virtual(&own->cable, spec->cpu);
    if (status != RTS_OK || spec->intensity == 0) {
        rts_cable_begin(&own->cable);
        return status;
    }
    status = rts_characters_start(&own->characters, &own->cable, spec->cpu);
    for (uint32_t i = 0; i < spec->intensity && status == RTS_OK; i++) {
        status = rts_pinger_start(&own->pingers[i], &own->cable, i, spec->cpu);
        own->running += status == RTS_OK ? 1u : 0u;
    }
    if (status == RTS_OK) {
        status = rts_cable_until(&own->cable, everything_flows, own);
    }
    if (status != RTS_OK) {
        stop(own);
        return status;
    }
    sum_pings(own, &own->sent_before, &own->answered_before);
    rts_characters_begin(&own->characters);
    rts_cable_begin(&own->cable);
    return RTS_OK;
}

static rts_status start(void *arg, const rts_load_spec *spec)
{
    return start_over(arg, spec, false);
}

static rts_status start_virtual(void *arg, const rts_load_spec *spec)
{
    return start_over(arg, spec, true);
}

static void achieved(void *arg, rts_load_fact_fn fact, void *fact_arg)
{
    network *own = arg;
    uint64_t sent = 0;
    uint64_t answered = 0;
    sum_pings(own, &sent, &answered);
    fact(fact_arg, "pings_sent", sent - own->sent_before);
    fact(fact_arg, "pings_answered", answered - own->answered_before);
    fact(fact_arg, "bytes_copied", rts_characters_copied(&own->characters));
    rts_cable_achieved(&own->cable, fact, fact_arg);
}

const rts_load rts_load_network = {
    .name = "network",
    .summary =
        "Linux only: flood ping between two network devices of this machine; a TCP stream copied to a serial line",
    .unit = "flood pings at a time",
    .services = 1u << RTS_SERVICE_PROGRAMS,
    .state_bytes = sizeof(network),
    .needs = RTS_CABLE_NEEDS,
    .start = start,
    .stop = stop,
    .achieved = achieved,
};

static const char virtual_needs[] =
    "network name spaces cannot be made or joined here: it takes root, or name spaces of users (sysctl user.max_user_namespaces), "
    "and the module veth";

static const char *why_virtual(const void *state)
{
    (void)state;
    return virtual_needs;
}

const rts_load rts_load_network_virtual = {
    .name = "network-virtual",
    .summary = "Linux only: the load network over a virtual cable (veth) and a pseudo-terminal of this machine",
    .unit = "flood pings at a time",
    .services = 1u << RTS_SERVICE_PROGRAMS,
    .state_bytes = sizeof(network),
    .needs = virtual_needs,
    .substitutes =
        "a virtual cable (veth) and a pseudo-terminal stand in for network devices and a serial line: no device interrupts",
    .start = start_virtual,
    .stop = stop,
    .achieved = achieved,
    .why = why_virtual,
};
