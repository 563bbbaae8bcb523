/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The contract between the engine and a load: one file in engine/loads/, one line in its registry.
 *
 * A load runs on the measured CPU from before `begin` to after `end`, below all that is measured, and tells what it achieved.
 */
#ifndef RTSTONE_LOAD_H
#define RTSTONE_LOAD_H

#include "rtstone/port.h"
#include "rtstone/types.h"

/** Where and how strong a load is asked to be. */
typedef struct rts_load_spec {
    int32_t cpu;        /**< resolved CPU */
    uint32_t intensity; /**< in the load's own unit */
    uint64_t seed;
} rts_load_spec;

/** Tells one figure of a load: key with its unit in the name ("iterations", "cpu_time_ns"), value. */
typedef void (*rts_load_fact_fn)(void *arg, const char *key, uint64_t value);

/** What a load is. */
typedef struct rts_load {
    const char *name;
    const char *summary;
    const char *unit;  /**< what intensity counts, "programs" */
    uint32_t services; /**< bits of rts_service that it needs */
    /**
     * Shortest time of an item under it, over which its sets or slices are spread: so that what it achieves is what was asked for, and not how a few of
     * its events happened to fall. 0: none.
     */
    uint32_t least_ms;
    size_t state_bytes; /**< room that it needs, shared with its threads; at most RTS_LOAD_STATE_BYTES */
    const char *needs;  /**< what is missing where start says RTS_UNSUPPORTED, one sentence; NULL: it never does */
    const char
        *substitutes; /**< what it stands in for, one sentence for the table's note; NULL: it is the thing itself */
    rts_status (*start)(void *state, const rts_load_spec *spec);
    /** Ends it: nothing of it runs once this returns. */
    void (*stop)(void *state);
    /** After stop: what was achieved. */
    void (*achieved)(void *state, rts_load_fact_fn fact, void *arg);
    /** [optional] After a start that failed: one sentence that says more than `needs`, with the remedy; NULL: there is none. */
    const char *(*why)(const void *state);
    /** [optional] While it runs: one sentence on where (a file system, a command), for the record. */
    const char *(*remark)(const void *state);
    /** [optional] After stop: how often it was not what it says. More than 0 makes the item invalid. */
    uint64_t (*faults)(const void *state);
    /**
     * [optional] While it runs, where it comes in bursts: whether one is under way. Samples of both kinds are then counted apart too. Called once a
     * sample, beside what is measured: a look at memory and no more.
     */
    bool (*in_burst)(const void *state);
} rts_load;

/* What the loads of every port need; a port with larger ones of its own says so. */
#ifdef RTS_PORT_LOAD_STATE_BYTES
#define RTS_LOAD_STATE_BYTES RTS_PORT_LOAD_STATE_BYTES
#else
#define RTS_LOAD_STATE_BYTES 4096u
#endif
#define RTS_LOAD_WHY_BYTES 320u /**< longest sentence of `why`, with its NUL */

extern const rts_load *const rts_loads[];
extern const size_t rts_load_count;
const rts_load *rts_load_find(const char *name);

#endif
