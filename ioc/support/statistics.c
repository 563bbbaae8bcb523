/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The statistics of the paper's tables, kept sample by sample; the fine buckets are the engine's own geometry.
 */
#include <string.h>

#include "statistics.h"

int32_t statistics_edge(unsigned bin)
{
    /* 100 · 10^(n/10), rounded: the preferred numbers R10. */
    static const int32_t decade[10] = {100, 126, 158, 200, 251, 316, 398, 501, 631, 794};
    if (bin == 0) {
        return 79; /* where a further bin of the same width would begin */
    }
    int32_t edge = decade[(bin - 1u) % 10u];
    for (unsigned i = (bin - 1u) / 10u; i > 0; i--) {
        edge *= 10;
    }
    return edge;
}

static unsigned bin_of(int32_t value_ns)
{
    static int32_t edges[STATISTICS_BINS];
    if (edges[0] == 0) { /* whoever comes second at the same time writes the same */
        for (unsigned i = STATISTICS_BINS; i > 0; i--) {
            edges[i - 1u] = statistics_edge(i - 1u);
        }
    }
    unsigned low = 0; /* edge(low) <= value, or low is 0 */
    unsigned high = STATISTICS_BINS;
    while (high - low > 1u) {
        const unsigned middle = (low + high) / 2u;
        if (value_ns >= edges[middle]) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

int32_t statistics_clip(long value_ns, int *saturated)
{
    if (value_ns >= INT32_MAX) { /* a long of 32 bits holds no more */
        *saturated = 1;
        return INT32_MAX;
    }
    if (value_ns <= -INT32_MAX) {
        *saturated = 1;
        return -INT32_MAX;
    }
    return (int32_t)value_ns;
}

void statistics_clear(statistics *all)
{
    memset(all, 0, sizeof *all);
}

void statistics_add(statistics *all, int32_t value_ns, int32_t limit_ns, unsigned burst)
{
    statistics_result *const result = &all->result;
    if (result->count == 0 || value_ns < result->minimum) {
        result->minimum = value_ns;
    }
    if (result->count == 0 || value_ns > result->maximum) {
        result->maximum = value_ns;
    }
    result->count++;
    const uint64_t over = value_ns > limit_ns ? 1u : 0u;
    result->over += over;
    result->burst_count += burst;
    result->burst_over += burst * over;
    result->histogram[bin_of(value_ns)]++;
    if (value_ns >= 0) {
        const size_t bucket = rts_histogram_index(STATISTICS_SUB_BITS, (uint64_t)value_ns);
        all->positive[bucket]++;
        all->burst[bucket] += burst;
    } else {
        all->negative[rts_histogram_index(STATISTICS_SUB_BITS, (uint64_t)(-(int64_t)value_ns))]++;
    }
}

void statistics_limit(statistics *all, int32_t limit_ns)
{
    const uint64_t limit = limit_ns < 0 ? 0 : (uint64_t)limit_ns;
    all->result.over = 0;
    all->result.burst_over = 0;
    for (size_t i = STATISTICS_BUCKETS; i > 0 && rts_histogram_lowest(STATISTICS_SUB_BITS, i - 1u) > limit; i--) {
        all->result.over += all->positive[i - 1u];
        all->result.burst_over += all->burst[i - 1u];
    }
}

/** The middle of a bucket. */
static int32_t middle_of(size_t bucket)
{
    return (int32_t)(rts_histogram_lowest(STATISTICS_SUB_BITS, bucket) +
                     (rts_histogram_width(STATISTICS_SUB_BITS, bucket) - 1u) / 2u);
}

static int32_t median_of(const statistics *all)
{
    uint64_t before = (all->result.count - 1u) / 2u; /* samples that are smaller or equal and come first */
    for (size_t i = STATISTICS_BUCKETS; i > 0; i--) {
        if (before < all->negative[i - 1u]) {
            return -middle_of(i - 1u);
        }
        before -= all->negative[i - 1u];
    }
    for (size_t i = 0; i < STATISTICS_BUCKETS; i++) {
        if (before < all->positive[i]) {
            return middle_of(i);
        }
        before -= all->positive[i];
    }
    return all->result.maximum;
}

void statistics_result_of(const statistics *all, statistics_result *result)
{
    *result = all->result;
    if (result->count == 0) {
        return;
    }
    result->median = median_of(all);
    /* A bucket's middle may lie outside what was seen. */
    result->median = result->median < result->minimum ? result->minimum : result->median;
    result->median = result->median > result->maximum ? result->maximum : result->median;
}
