/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * How many operations the next slice may have, and when the measurement must release the CPU.
 *
 * A slice ends so that the engine can check the budget, an interruption and the port's duty limit. Slices begin small and grow until one
 * takes about a twentieth of a second, or a third of the time that the duty allows.
 */
#ifndef RTS_PACE_H
#define RTS_PACE_H

#include "run.h"

/** The pace of one item. All ticks are of the run's clock. */
typedef struct rts_pace {
    rts_ticks target;   /**< wanted length of a slice */
    rts_ticks duty_run; /**< longest time without a rest; 0: no limit */
    rts_ticks duty_rest;
    rts_ticks busy;   /**< since the last rest */
    rts_ticks start;  /**< of the item */
    rts_ticks budget; /**< from start; 0: none */
    rts_ticks least;  /**< from start: the item is spread over this time. 0: it takes as long as it needs */
    bool sets;        /**< the batch pass */
    bool owed;        /**< nothing is measured yet, so the budget waits: a result that was begun is not empty */
    bool grows;       /**< slices begin small */
    uint32_t period_operations; /**< paced by a period: operations in a slice; 0: not paced */
    uint32_t last_operations;   /**< of the last slice; 0: none yet */
    rts_ticks last_ticks;
} rts_pace;

void rts_pace_begin(rts_pace *pace, const rts_run *run);

/** Operations of the next slice, between 1 and `wanted`. */
uint32_t rts_pace_next(const rts_pace *pace, uint32_t wanted);

/** Rests if the coming slice could reach the duty limit. */
rts_status rts_pace_rest(rts_pace *pace);

/** Waits until the same share of the shortest time has passed as `done` is of `all`. */
rts_status rts_pace_spread(const rts_pace *pace, uint32_t done, uint32_t all);

/** Records the time that the slice took. */
void rts_pace_done(rts_pace *pace, uint32_t operations, rts_ticks ticks);

/** True once the budget is used up and nothing is owed. */
bool rts_pace_spent(const rts_pace *pace);

#endif
