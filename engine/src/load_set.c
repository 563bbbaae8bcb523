/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The loads of one item: found by their names, started, stopped.
 */
#include "load_set.h"

#include "bytes.h"
#include "plan.h"
#include "rtstone/text.h"
#include "run.h"
#include "services.h"

static bool refuse(rts_load_fault *fault, const char *reason, const char *load, const char *why)
{
    const rts_load_fault found = {RTS_INVALID, reason, load, why, NULL};
    *fault = found;
    return false;
}

static bool there_already(const rts_load_set *set, const rts_load *load)
{
    for (uint32_t i = 0; i < set->count; i++) {
        if (set->load[i] == load) {
            return true;
        }
    }
    return false;
}

/** "cpu:2": cuts the name after `cpu`, and returns 2; -1 if there is no colon, -2 if the text after it is not a number of 32 bits. */
static int64_t cut_intensity(char *name)
{
    uint32_t at = 0;
    int64_t value = 0;
    while (name[at] != '\0' && name[at] != ':') {
        at++;
    }
    if (name[at] == '\0') {
        return -1;
    }
    name[at++] = '\0';
    if (name[at] == '\0') {
        return -2;
    }
    for (; name[at] != '\0'; at++) {
        if (name[at] < '0' || name[at] > '9' || value > UINT32_MAX / 10) {
            return -2;
        }
        value = value * 10 + (name[at] - '0');
    }
    return value <= (int64_t)UINT32_MAX ? value : -2;
}

/** Adds the load of one name, which may have its intensity behind it. */
static bool add(rts_load_set *set, char *name, rts_load_fault *fault)
{
    const int64_t intensity = cut_intensity(name);
    const rts_load *const load = rts_load_find(name);
    rts_service missing = RTS_SERVICE_THREADS;
    if (load == NULL) {
        return refuse(fault, "unknown", NULL, "this engine has no such load");
    }
    if (intensity == -2) {
        return refuse(fault, "invalid", load->name, "what stands behind its colon is no intensity");
    }
    if (there_already(set, load)) {
        return refuse(fault, "invalid", load->name, "a load is named twice");
    }
    if (set->count == RTS_PORT_LOADS_AT_ONCE) {
        return refuse(fault, "unsupported", load->name, "these are more loads than this engine runs together");
    }
    if (load->state_bytes > RTS_LOAD_STATE_BYTES) {
        return refuse(fault, "failed", load->name, "the load needs more state than this engine has room for");
    }
    const rts_status status = rts_services_missing(load->services, &missing);
    if (status != RTS_OK) {
        const char *const why = rts_port_why_not(missing);
        (void)refuse(fault, status == RTS_DENIED ? "denied" : "unsupported", load->name,
                     why != NULL ? why : "this kernel lacks a service that the load needs");
        fault->service = rts_service_name(missing);
        return false;
    }
    set->load[set->count] = load;
    set->intensity[set->count] = intensity;
    set->count++;
    return true;
}

bool rts_load_set_find(rts_load_set *set, const char *names, rts_load_fault *fault)
{
    char name[RTS_PLAN_NAME_BYTES];
    set->count = 0;
    while (!rts_text_equal(names, "none")) {
        size_t length = 0;
        while (names[length] != '\0' && names[length] != '+' && length < sizeof name - 1u) {
            name[length] = names[length];
            length++;
        }
        name[length] = '\0';
        if (!add(set, name, fault)) {
            return false;
        }
        if (names[length] == '\0') {
            break;
        }
        names += length + 1u;
    }
    return true;
}

uint32_t rts_load_set_services(const rts_load_set *set)
{
    uint32_t services = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        services |= set->load[i]->services;
    }
    return services;
}

static const char *why_of(const rts_load *load, const void *state, rts_status status)
{
    const char *const own = load->why != NULL ? load->why(state) : NULL;
    if (own != NULL) {
        return own;
    }
    if (status == RTS_INVALID) {
        return "it cannot be of this intensity";
    }
    return status == RTS_UNSUPPORTED && load->needs != NULL ? load->needs : "the load could not be started";
}

uint32_t rts_load_set_intensity(const rts_load_set *set, uint32_t n, uint32_t item)
{
    return set->intensity[n] < 0 ? item : (uint32_t)set->intensity[n];
}

bool rts_load_set_start(rts_load_set *set, const rts_load_spec *spec, rts_load_fault *fault)
{
    const uint32_t count = set->count;
    memset(set->state, 0, sizeof set->state);
    for (uint32_t i = 0; i < count; i++) {
        rts_load_spec own = *spec;
        own.intensity = rts_load_set_intensity(set, i, spec->intensity);
        if (i > 0u) {
            own.seed = rts_random_seed(spec->seed, 0, i);
        }
        const rts_status status = set->load[i]->start(set->state[i], &own);
        if (status != RTS_OK) {
            const rts_load_fault found = {status, NULL, set->load[i]->name, why_of(set->load[i], set->state[i], status),
                                          NULL};
            set->count = i; /* what was started before it */
            rts_load_set_stop(set);
            set->count = count;
            *fault = found;
            return false;
        }
    }
    return true;
}

void rts_load_set_stop(rts_load_set *set)
{
    for (uint32_t i = set->count; i > 0u; i--) {
        set->load[i - 1u]->stop(set->state[i - 1u]);
    }
}
