/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The host's request (spec/plan.md), and the reader that takes it line by line or refuses it.
 */
#ifndef RTS_PLAN_H
#define RTS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"
#include "rtstone/port.h"

/** Room for a name with its NUL. */
#define RTS_PLAN_NAME_BYTES 32u
/** Room for a refusal with its NUL. */
#define RTS_PLAN_REFUSAL_BYTES 128u

enum { RTS_PLAN_SINGLE = 0, RTS_PLAN_BATCH = 1 };
enum { RTS_PLAN_WARM = 0, RTS_PLAN_FLUSHED = 1 };

/** One item: a measurement with its settings. */
typedef struct rts_plan_item {
    uint32_t number;
    uint32_t count;
    uint32_t sets;
    uint32_t budget_ms;
    uint32_t warmup;
    uint32_t intensity;
    uint32_t period_ns;
    uint32_t phase_ns;
    uint32_t trace_over_ns; /**< 0: no event trail is saved */
    int32_t cpu;
    uint32_t raw;
    uint32_t spare; /**< 1: may also use its share of the budget that earlier items did not use */
    uint32_t pass;  /**< RTS_PLAN_SINGLE, RTS_PLAN_BATCH */
    uint32_t sched; /**< an rts_sched */
    uint32_t cache; /**< RTS_PLAN_WARM, RTS_PLAN_FLUSHED */
    char measurement[RTS_PLAN_NAME_BYTES];
    char load[RTS_PLAN_NAME_BYTES];
    char timer[RTS_PLAN_NAME_BYTES];
    char window[RTS_PLAN_NAME_BYTES];
} rts_plan_item;

/** A whole plan. */
typedef struct rts_plan {
    uint64_t seed;
    uint32_t repetition;
    uint32_t count;      /**< items */
    bool loads_required; /**< a load that cannot start refuses the plan, before anything is measured */
    rts_plan_item item[RTS_PORT_ITEMS];
} rts_plan;

typedef enum rts_plan_state { RTS_PLAN_WANTS_MORE, RTS_PLAN_READY, RTS_PLAN_REFUSED } rts_plan_state;

/** A plan being read. */
typedef struct rts_plan_reader {
    rts_plan *plan;
    rts_plan_state state;
    uint32_t lines; /**< records read */
    uint32_t items; /**< items begun */
    uint32_t seen;  /**< keys that the current item has had, a bit each */
    bool announced; /**< the `plan` line has come */
    bool continues; /**< the current item has "more" */
    char refusal[RTS_PLAN_REFUSAL_BYTES];
} rts_plan_reader;

void rts_plan_begin(rts_plan_reader *reader, rts_plan *plan);

/** Takes one line without its LF. Lines that do not begin with ~ are passed over. */
rts_plan_state rts_plan_line(rts_plan_reader *reader, const char *line, size_t length);

/** The carrier has no more bytes. */
rts_plan_state rts_plan_end(rts_plan_reader *reader);

/** Refuses the plan for a reason that the lines do not show. */
rts_plan_state rts_plan_refuse(rts_plan_reader *reader, const char *why, const char *which);

/** Reads from the port's carrier up to `go`. False: the carrier has no byte at all, so the built-in default runs. */
bool rts_plan_receive(rts_plan_reader *reader, rts_plan *plan);

/** Defaults of an item. */
void rts_plan_item_default(rts_plan_item *item);

/** The plan that runs if none is given: every measurement, single pass. Returns how many did not fit. */
size_t rts_plan_built_in(rts_plan *plan);

/** Reports the plan as the engine understood it. */
void rts_plan_tell(const rts_plan *plan, rts_writer *writer);

#endif
