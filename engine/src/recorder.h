/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * All statistics of one series: samples go in; sums, buckets, extremes and windows come out.
 *
 * rts_recorder_add runs between two measured operations, so it first handles an unremarkable sample: one that is not
 * negative, whose square fits 64 bits, not beyond the histogram, no new minimum, not the largest of its window nor among the
 * K largest of all. These samples form one range of values, which is updated when it changes, so two compares separate them
 * from all others. Such a sample costs four additions to memory and one multiplication.
 */
#ifndef RTS_RECORDER_H
#define RTS_RECORDER_H

#include "histogram.h"
#include "rtstone/port.h"
#include "rtstone/types.h"
#include "wide.h"

#define RTS_POSITIVE_BUCKETS RTS_HISTOGRAM_BUCKETS(RTS_PORT_SUB_BITS, RTS_PORT_MAX_BITS)
#define RTS_NEGATIVE_BUCKETS RTS_HISTOGRAM_BUCKETS(RTS_PORT_SUB_BITS, RTS_PORT_NEGATIVE_BITS)

/** Marks a window in which no sample ended. */
#define RTS_WINDOW_EMPTY INT64_MIN

/** One of the largest samples. */
typedef struct rts_extreme {
    rts_latency value;
    uint64_t index; /**< its number among the samples of its series, from 0 */
    rts_ticks at;   /**< the clock's reading at its end */
} rts_extreme;

/** What is kept of one series. */
typedef struct rts_recorder {
    uint64_t count;
    uint64_t overflow; /**< samples beyond either side of the histogram; they are in all the rest */
    rts_wide sum;      /**< two's complement */
    rts_wide sum_of_squares;
    rts_latency usual_low; /**< values of the unremarkable samples: from here */
    uint64_t usual_count;  /**< so many; 0: none */
    rts_ticks window_start;
    rts_ticks window_width;
    rts_latency minimum;
    rts_latency maximum;
    rts_latency floor;          /**< a sample above it enters the extremes */
    rts_latency window_maximum; /**< of the current window; `window` holds the others' */
    rts_ticks origin;
    uint32_t window_current;
    uint32_t window_used; /**< windows up to the last one in which a sample ended */
    uint32_t extreme_count;
    rts_extreme extreme[RTS_PORT_EXTREMES]; /**< largest first; of equals, the earlier first */
    rts_latency window[RTS_PORT_WINDOWS];
    RTS_PORT_COUNT_TYPE positive[RTS_POSITIVE_BUCKETS];
    RTS_PORT_COUNT_TYPE negative[RTS_NEGATIVE_BUCKETS];
} rts_recorder;

/** Empties it. Times count from `origin`; windows are `window_width` ticks (at least 1) until they are folded. */
void rts_recorder_reset(rts_recorder *recorder, rts_ticks origin, rts_ticks window_width);

/** Puts the current window's maximum in its place; call before `window` is read. */
void rts_recorder_settle(rts_recorder *recorder);

/** False when a sum may have left its 128 bits or a value the 2^53 that records carry: the series is then not to be believed. */
bool rts_recorder_sound(const rts_recorder *recorder);

/** Records one sample. `at` is the reading of the origin's clock at its end. */
void rts_recorder_add(rts_recorder *recorder, rts_latency value, rts_ticks at);

/** The two sums. */
static inline void rts_recorder_sums(rts_recorder *recorder, rts_latency value)
{
    const uint64_t magnitude = value < 0 ? 0u - (uint64_t)value : (uint64_t)value;
    recorder->sum = rts_wide_add(recorder->sum, rts_wide_from_signed(value));
    recorder->sum_of_squares = rts_wide_add(recorder->sum_of_squares, rts_wide_square(magnitude));
}

/** Records the total of one batch: no bucket, no window. */
static inline void rts_recorder_add_total(rts_recorder *recorder, rts_latency total)
{
    rts_recorder_sums(recorder, total);
    if (total < recorder->minimum) {
        recorder->minimum = total;
    }
    if (total > recorder->maximum) {
        recorder->maximum = total;
    }
    recorder->count++;
}

#endif
