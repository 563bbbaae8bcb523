/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Joins what the kernel says of a wake-up to what the woken task saw of it; every sample and every event is accounted for.
 */
#ifndef RTSTONE_LINUX_SPLIT_JOIN_H
#define RTSTONE_LINUX_SPLIT_JOIN_H

#include "rtstone/types.h"

/** One wake-up as the kernel saw it, all on CLOCK_MONOTONIC in ns. A boundary that it did not see is 0. */
typedef struct rts_split_event {
    uint64_t sequence; /**< from 1; a number left out is an event that was lost */
    rts_ticks due;     /**< what the timer was armed for: the key of the join */
    rts_ticks handler;
    rts_ticks waking;
    rts_ticks switched;
} rts_split_event;

/** The same wake-up as the task saw it. */
typedef struct rts_split_sample {
    rts_ticks due;
    rts_ticks ready; /**< read just before it began to wait */
    rts_ticks user;  /**< read first when it ran again */
} rts_split_sample;

enum { RTS_SPLIT_STAGES = 4 };

/** What became of a sample: the counts of rts_split_counts by the same names. */
typedef enum rts_split_verdict {
    RTS_SPLIT_MATCHED = 0, /**< all four stages are known, and add up to user - due */
    RTS_SPLIT_LATE,        /**< the period had passed before the task waited: nothing woke it */
    RTS_SPLIT_AWAKE, /**< the timer expired before the waiting task had given up the CPU: woken, but never switched to */
    RTS_SPLIT_UNMATCHED,  /**< it waited, and the kernel told of no such wake-up */
    RTS_SPLIT_DISORDERED, /**< a boundary lies before the one that it follows */
    RTS_SPLIT_VERDICTS
} rts_split_verdict;

typedef struct rts_split_join {
    uint64_t sequence; /**< of the last event */
    rts_split_sample sample;
    rts_split_event event;               /**< that of this sample; due 0: none yet */
    uint64_t counts[RTS_SPLIT_VERDICTS]; /**< samples by verdict */
    uint64_t lost;                       /**< events that never came: gaps in their numbers */
    uint64_t repeated;                   /**< events whose number had been before: passed over */
    uint64_t stray;                      /**< events of another wake-up than the sample's: passed over */
} rts_split_join;

/** Begins anew; the next event has a number above `sequence`. */
void rts_split_join_begin(rts_split_join *join, uint64_t sequence);

/** The sample that the events offered from now on are held against. */
void rts_split_join_expect(rts_split_join *join, rts_split_sample sample);

/** An event, as it comes from the kernel. */
void rts_split_join_offer(rts_split_join *join, const rts_split_event *event);

/**
 * What there is for the sample once all events are offered; counted. `flight` is the wake-up that the kernel was last at. Only with
 * RTS_SPLIT_MATCHED are `stages` (expiry to handler, to waking, to switch, to user) set.
 */
rts_split_verdict rts_split_join_take(rts_split_join *join, const rts_split_event *flight,
                                      rts_ticks stages[RTS_SPLIT_STAGES]);

#endif
