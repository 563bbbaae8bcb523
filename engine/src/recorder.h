/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Everything that is kept of one series: samples go in, sums, buckets, extremes and windows come out.
 *
 * rts_recorder_add runs between two measured operations, so what is rare (a new extreme, the next window, a negative value) is kept
 * out of line, and what every sample pays is two additions of 128 bits, one multiplication, one bucket and three compares.
 */
#ifndef RTS_RECORDER_H
#define RTS_RECORDER_H

#include "compiler.h"
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
    rts_latency minimum;
    rts_latency maximum;
    rts_latency floor;          /**< a sample above it enters the extremes */
    rts_latency window_maximum; /**< of the current window; `window` holds the others' */
    rts_ticks window_start;
    rts_ticks window_width;
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

/** What the inline part leaves to these. */
void rts_recorder_beyond(rts_recorder *recorder, rts_latency value);
void rts_recorder_extreme(rts_recorder *recorder, rts_latency value, rts_ticks at);
void rts_recorder_window(rts_recorder *recorder, rts_latency value, rts_ticks at);

/** Count, sums and minimum alone: all that a batch total needs but its maximum. */
static inline void rts_recorder_sums(rts_recorder *recorder, rts_latency value)
{
    const uint64_t magnitude = value < 0 ? 0u - (uint64_t)value : (uint64_t)value;
    recorder->sum = rts_wide_add(recorder->sum, rts_wide_from_signed(value));
    recorder->sum_of_squares = rts_wide_add(recorder->sum_of_squares, rts_wide_square(magnitude));
    if (RTS_RARE(value < recorder->minimum)) {
        recorder->minimum = value;
    }
}

/** Records one sample. `at` is the reading of the origin's clock at its end. */
static inline void rts_recorder_add(rts_recorder *recorder, rts_latency value, rts_ticks at)
{
    /* Negative values are huge when taken as unsigned, so one compare serves both sides. */
    if (RTS_RARE((uint64_t)value >> RTS_PORT_MAX_BITS != 0u)) {
        rts_recorder_beyond(recorder, value);
    } else {
        recorder->positive[rts_histogram_index(RTS_PORT_SUB_BITS, (uint64_t)value)]++;
    }
    rts_recorder_sums(recorder, value);
    if (RTS_RARE(value > recorder->floor)) {
        rts_recorder_extreme(recorder, value, at);
    }
    if (RTS_RARE(at - recorder->window_start >= recorder->window_width)) {
        rts_recorder_window(recorder, value, at);
    } else if (RTS_RARE(value > recorder->window_maximum)) {
        recorder->window_maximum = value;
    }
    recorder->count++;
}

/** Records the total of one batch: no bucket, no window. */
static inline void rts_recorder_add_total(rts_recorder *recorder, rts_latency total)
{
    rts_recorder_sums(recorder, total);
    if (total > recorder->maximum) {
        recorder->maximum = total;
    }
    recorder->count++;
}

#endif
