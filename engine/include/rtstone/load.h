/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The contract between the engine and a load: one file in engine/loads/, one line in its registry.
 *
 * A load runs on the measured CPU from before `begin` to after `end`, below everything that is measured. It reports what it achieved.
 */
#ifndef RTSTONE_LOAD_H
#define RTSTONE_LOAD_H

#include "rtstone/port.h"
#include "rtstone/types.h"

/** The CPU and the intensity of a load. */
typedef struct rts_load_spec {
    int32_t cpu;        /**< resolved CPU */
    uint32_t intensity; /**< in the load's own unit */
    uint64_t seed;
} rts_load_spec;

/** Reports one figure of a load: key with its unit in the name ("iterations", "cpu_time_ns"), value. */
typedef void (*rts_load_fact_fn)(void *arg, const char *key, uint64_t value);

/** Description of a load. */
typedef struct rts_load {
    const char *name;
    const char *summary;
    const char *unit;  /**< the thing that intensity counts, "programs" */
    uint32_t services; /**< bits of rts_service that it needs */
    /**
     * Shortest time of an item with this load; the item's sets or slices are spread over it. So the load achieves the requested amount, which
     * does not depend on how a few of its events happened to fall. 0: none.
     */
    uint32_t least_ms;
    size_t state_bytes; /**< room that it needs, shared with its threads; at most RTS_LOAD_STATE_BYTES */
    const char *needs;  /**< one sentence on what is missing if start returns RTS_UNSUPPORTED; NULL: it never does */
    const char
        *substitutes; /**< what it stands in for, one sentence for the table's note; NULL: it is the thing itself */
    rts_status (*start)(void *state, const rts_load_spec *spec);
    /** Ends the load: no part of it runs once this returns. */
    void (*stop)(void *state);
    /** After stop: reports what the load achieved. */
    void (*achieved)(void *state, rts_load_fact_fn fact, void *arg);
    /** [optional] After a start that failed: one sentence with more detail than `needs`, and the remedy; NULL: there is nothing to add. */
    const char *(*why)(const void *state);
    /** [optional] While the load runs: one sentence on where it works (a file system, a command), for the record. */
    const char *(*remark)(const void *state);
    /** [optional] After stop: number of times that the load did not do what it promises. More than 0 makes the item invalid. */
    uint64_t (*faults)(const void *state);
    /**
     * [optional] While a load runs that comes in bursts: whether a burst is under way. Samples inside and outside of bursts are then counted apart.
     * Called once per sample, next to the measured operation: it reads memory and nothing more.
     */
    bool (*in_burst)(const void *state);
} rts_load;

/* Room that the loads of every port need. A port with larger loads of its own defines RTS_PORT_LOAD_STATE_BYTES. */
#ifdef RTS_PORT_LOAD_STATE_BYTES
#define RTS_LOAD_STATE_BYTES RTS_PORT_LOAD_STATE_BYTES
#else
#define RTS_LOAD_STATE_BYTES 4096u
#endif
#define RTS_LOAD_WHY_BYTES 320u /**< longest sentence of `why`, with its NUL */

extern const rts_load *const rts_loads[];
extern const size_t rts_load_count;
const rts_load *rts_load_find(const char *name);

/** A time in ticks of the run's clock as nanoseconds, rounded down; 0 if the port does not know its clock. For times below 500 years. */
static inline uint64_t rts_load_ns(rts_ticks ticks)
{
    rts_clock_info clock;
    if (rts_port_clock_info(&clock) != RTS_OK) {
        return 0;
    }
    /* without a product that could overflow: hz is below 2^34 */
    return ticks / clock.hz * 1000000000u + ticks % clock.hz * 1000000000u / clock.hz;
}

/**
 * A count as a rate per second: of the time, whole microseconds count; the rate is rounded to the nearest integer, half of one upwards. 0 if the time
 * is shorter than a microsecond. Exact for every count whose rate fits 64 bits, and for times up to 200 days.
 */
static inline uint64_t rts_load_per_s(uint64_t count, uint64_t elapsed_ns)
{
    const uint64_t elapsed_us = elapsed_ns / 1000u;
    if (elapsed_us == 0) {
        return 0;
    }
    return count / elapsed_us * 1000000u + (count % elapsed_us * 1000000u + elapsed_us / 2u) / elapsed_us;
}

#endif
