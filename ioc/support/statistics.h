/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What is kept of all samples of one parameter since Clear: count, extremes, median, how many passed the limit, a histogram.
 */
#ifndef RTSTONE_IOC_STATISTICS_H
#define RTSTONE_IOC_STATISTICS_H

#include <stdint.h>

#include "histogram.h"

/** Bins of the histogram that is served: ten a decade from 100 ns to 1 s, one for samples below and one for samples above. */
#define STATISTICS_BINS 72

/** What is served. Values are nanoseconds. */
typedef struct statistics_result {
    uint64_t count;
    uint64_t over;      /**< samples above the limit */
    uint64_t saturated; /**< samples beyond ±2.147 s, counted as that value */
    int32_t minimum;
    int32_t median; /**< sorted[(count - 1) / 2], to 0.1 %; the middle of its bucket */
    int32_t maximum;
    uint64_t burst_count;               /**< of the samples, those that were taken during a burst of the load */
    uint64_t burst_over;                /**< of these, those above the limit */
    int64_t histogram[STATISTICS_BINS]; /**< counts; their sum is `count` */
} statistics_result;

#define STATISTICS_SUB_BITS 11u
#define STATISTICS_BUCKETS RTS_HISTOGRAM_BUCKETS(STATISTICS_SUB_BITS, 31u)

typedef struct statistics {
    statistics_result result; /**< its median is made by statistics_result_of */
    uint64_t positive[STATISTICS_BUCKETS];
    uint64_t negative[STATISTICS_BUCKETS]; /**< of values below 0, by magnitude; they pass no limit */
    uint64_t burst[STATISTICS_BUCKETS];    /**< of `positive`, those that came during a burst */
} statistics;

/** Forgets all samples. */
void statistics_clear(statistics *all);

/** Adds one sample; `limit` is the one that holds for it, `burst` whether the load was at work. */
void statistics_add(statistics *all, int32_t value_ns, int32_t limit_ns, unsigned burst);

/** Recounts the samples above another limit, in bursts and in all, from the buckets of the existing samples: to 0.1 % of the limit. */
void statistics_limit(statistics *all, int32_t limit_ns);

/** What to serve. */
void statistics_result_of(const statistics *all, statistics_result *result);

/** Lower edge of a bin in ns. The first bin takes all that is below the second one's edge. */
int32_t statistics_edge(unsigned bin);

/** A delay as 32 bits hold it; *saturated is set where they do not. */
int32_t statistics_clip(long value_ns, int *saturated);

#endif
