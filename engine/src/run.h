/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A measurement in progress: all that one item of the plan needs while it is measured, in shared memory.
 */
#ifndef RTS_RUN_H
#define RTS_RUN_H

#include <stddef.h>

#include "clocks.h"
#include "load_set.h"
#include "plan.h"
#include "record.h"
#include "recorder.h"
#include "rtstone/load.h"
#include "rtstone/measurement.h"

/** How many different checks one measurement may state. */
#define RTS_CHECKS 16u

/** How many different figures one measurement may state, with those that the port's system counts. */
#ifdef RTS_PORT_WATCHES
#define RTS_FIGURES 48u
#else
#define RTS_FIGURES 32u
#endif

/** Raw samples of one series that are held between two slices, where the port does not say how many. */
#ifndef RTS_PORT_RAW_SAMPLES
#define RTS_PORT_RAW_SAMPLES (RTS_PORT_SUB_BITS < 9 ? 256 : 2048)
#endif

/** A count and the range that it must lie in, added up over the slices. */
typedef struct rts_check {
    const char *name;
    uint64_t value;
    uint64_t low;
    uint64_t high;
} rts_check;

/** A quantity that the measurement counted, added up over the slices. */
typedef struct rts_figure {
    const char *name;
    const char *unit;
    uint64_t value;
} rts_figure;

/** Most events that a measurement may report, unless the port defines another number. */
#ifndef RTS_PORT_EVENTS
#define RTS_PORT_EVENTS 1
#endif

/** Samples above this are counted, in bursts of a load and between them: the papers' own limit. */
#define RTS_PART_LIMIT_NS 100000u
#define RTS_PART_LIMIT_NAME "100us"

/** Samples that ended in bursts of a load, or between them. */
typedef struct rts_part {
    uint64_t samples;
    uint64_t above;
} rts_part;

/** Samples that wait to be sent. */
typedef struct rts_raw {
    uint64_t first;   /**< index of held[0] in its series */
    uint64_t dropped; /**< counted, but there was no room to hold them */
    uint32_t count;
    int64_t held[RTS_PORT_RAW_SAMPLES];
} rts_raw;

/** Ways in which rts_run_sample departs from the ordinary; none is the fast one. */
enum { RTS_RUN_WARMING = 1, RTS_RUN_RAW = 2, RTS_RUN_PARTED = 4 };

struct rts_run {
    uint32_t quick_series; /**< series below this are recorded without further checks; 0 while `mode` is not 0 */
    uint32_t series_count;
    const char *series[RTS_SERIES_MAX]; /**< names of this item's; NULL: it has no series of that index */
    uint32_t mode;                      /**< set by rts_run_mode only */
    bool flushes;                       /**< caches are flushed before each operation */
    const char *remark;                 /**< reported as a note; NULL: no remark */
    const char *why;                    /**< of a setup that failed; NULL: it gave no reason */
    bool broke; /**< an error without a status: a sample of an unknown series, too many checks or figures */
    const rts_plan_item *item;
    const rts_measurement *measurement;
    const rts_plan *plan;
    const rts_clocks *clocks;
    int32_t cpu;
    int32_t top_priority; /**< highest rts_priority asked for so far, -1: none */
    rts_ticks origin;     /**< on the item's clock */
    uint64_t random;
    uint32_t check_count;
    uint32_t choice; /**< of the measurement's, which the item names */
    rts_check check[RTS_CHECKS];
    uint32_t figure_count;
    rts_figure figure[RTS_FIGURES];
    const rts_load *bursting;         /**< the load that reports its bursts; NULL: there is no such load */
    const unsigned char *burst_state; /**< that load's state */
    rts_ticks part_limit;
    rts_part part[RTS_SERIES_MAX][2]; /**< between bursts, in bursts */
    uint32_t event_count;
    rts_event event[RTS_PORT_EVENTS];
    rts_recorder recorder[RTS_SERIES_MAX];
    rts_raw raw[RTS_SERIES_MAX];
    _Alignas(max_align_t) unsigned char state[RTS_PORT_STATE_BYTES];
    rts_load_set loads; /**< the item's, found before rts_run_begin */
};

/** Makes a run ready for an item. */
void rts_run_begin(rts_run *run, const rts_plan *plan, const rts_plan_item *item, const rts_measurement *measurement,
                   uint32_t choice, const rts_clocks *clocks);

/** Where the handler's reading of this item is taken (RTS_ENTERED_…); NULL where it takes none. */
const char *rts_run_entered(const rts_run *run);

/** Sets `mode`: of RTS_RUN_WARMING, RTS_RUN_RAW and RTS_RUN_PARTED any, or 0. */
void rts_run_mode(rts_run *run, uint32_t mode);

/** The item's clock: the timer's when the measurement is on it. */
const rts_clock_info *rts_run_clock(const rts_run *run);
rts_ticks rts_run_now(const rts_run *run);

/** Finds a load of the run that reports its bursts; clears the separate counts of bursts. */
void rts_run_part(rts_run *run);

/** Services that this item needs, the load's not among them. */
uint32_t rts_run_services(const rts_run *run);

/** True if every check lies in its range. */
bool rts_run_checks_hold(const rts_run *run);

/** The first number of a sequence that depends on all three; see rts_run_random. */
uint64_t rts_random_seed(uint64_t seed, uint32_t repetition, uint32_t item);
uint64_t rts_random_next(uint64_t *state);

#endif
