/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Joins the kernel's stamps of a wake-up to the woken task's own readings. Every sample and every event is accounted for.
 */
#ifndef RTSTONE_LINUX_SPLIT_JOIN_H
#define RTSTONE_LINUX_SPLIT_JOIN_H

#include "rtstone/types.h"

/** One wake-up as the kernel saw it, all on CLOCK_MONOTONIC in ns. A boundary that it did not see is 0. */
typedef struct rts_split_event {
    uint64_t sequence; /**< from 1; a number left out is an event that was lost */
    rts_ticks due;     /**< the time for which the timer was armed: the key of the join */
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

/** The outcome of a sample: the counts of rts_split_counts have the same names. */
typedef enum rts_split_verdict {
    RTS_SPLIT_MATCHED = 0, /**< all four stages are known, and add up to user - due */
    RTS_SPLIT_LATE,        /**< the period had passed before the task waited: nothing woke it */
    RTS_SPLIT_AWAKE, /**< the timer expired before the waiting task had given up the CPU: woken, but never switched to */
    RTS_SPLIT_UNMATCHED,  /**< it waited, and the kernel reported no such wake-up */
    RTS_SPLIT_DISORDERED, /**< a boundary lies before the one that it follows */
    RTS_SPLIT_VERDICTS
} rts_split_verdict;

typedef struct rts_split_join {
    uint64_t sequence; /**< of the last event */
    rts_split_sample sample;
    rts_split_event event;               /**< that of this sample; due 0: none yet */
    uint64_t counts[RTS_SPLIT_VERDICTS]; /**< samples by verdict */
    uint64_t lost;                       /**< events that never came: gaps in their numbers */
    uint64_t repeated;                   /**< events whose number had come before: ignored */
    uint64_t stray;                      /**< events of another wake-up than the sample's: ignored */
} rts_split_join;

/** Begins again; the next event has a number above `sequence`. */
void rts_split_join_begin(rts_split_join *join, uint64_t sequence);

/** Sets the sample with which the events offered from now on are compared. */
void rts_split_join_expect(rts_split_join *join, rts_split_sample sample);

/** An event, as it comes from the kernel. */
void rts_split_join_offer(rts_split_join *join, const rts_split_event *event);

/**
 * Decides and counts the outcome of the sample, once all events are offered. `flight` is the last wake-up that the kernel recorded. `stages`
 * (expiry to handler, to waking, to switch, to user) are set only with RTS_SPLIT_MATCHED.
 */
rts_split_verdict rts_split_join_take(rts_split_join *join, const rts_split_event *flight,
                                      rts_ticks stages[RTS_SPLIT_STAGES]);

#endif
