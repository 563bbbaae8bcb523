/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The properties of one clock that its readings show: its smallest step, whether it ever goes back, on one CPU or from one to another, and how it
 * runs compared with a clock that is never adjusted.
 */
#ifndef RTS_POSIX_CLOCK_STUDY_H
#define RTS_POSIX_CLOCK_STUDY_H

#include "common/worker.h"

typedef struct rts_clock_kind {
    uint64_t (*read)(void);
    const char *unit;       /**< "ns", or "ticks" of `hz` */
    uint64_t hz;            /**< of ticks */
    uint64_t resolution_ns; /**< as the system states it; 0: it does not */
    bool settable;          /**< a user may set it back: a step back is reported, and is not an error */
} rts_clock_kind;

/** Readings taken together with the reference's. */
typedef struct rts_clock_pair {
    uint64_t reading;
    uint64_t reference_ns;
    uint64_t width_ns; /**< between the reference's readings before and after */
} rts_clock_pair;

typedef struct rts_clock_study {
    rts_worker worker;
    rts_clock_kind kind;
    bool told; /**< set by the measurement when the study is wanted, which takes half a second */
    rts_clock_pair first;
    uint32_t turn; /**< of a handing over: whose it is to read */
    uint32_t handed;
    uint64_t last; /**< the reading that was handed over */
    uint64_t backwards;
    uint64_t backwards_most;
    struct rts_thread other;
} rts_clock_study;

/** Makes the worker that reads the clock, in the item's class and on its CPU. RTS_UNSUPPORTED where `kind` has no reading. */
rts_status rts_clock_study_begin(rts_run *run, rts_clock_kind kind);

/** If `told`: reports all of the above as figures, and `backwards` as a check unless the clock is settable. Then ends the worker. */
void rts_clock_study_end(rts_run *run);

#endif
