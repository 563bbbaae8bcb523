/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Records the same samples with rts_run_sample and with hdr_record_value, interleaved, and prints the cost of one sample with each, a
 * line a round.
 *
 * Usage: bench_recorder ROUNDS.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "hdr_histogram.h"

#include "../../engine/src/run.h"

#define VALUES 65536

static rts_run run;
static int64_t value[VALUES];

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/** Latencies as a quiet machine has them: a narrow peak, a tail over three decades, now and then an outlier. */
static void fill(void)
{
    uint64_t state = 42;
    for (size_t i = 0; i < VALUES; i++) {
        const uint64_t random = rts_random_next(&state);
        int64_t latency = 3000 + (int64_t)(random % 512u);
        if (random % 64u == 1u) {
            latency += (int64_t)((random >> 16) % 30000u);
        }
        if (random % 4096u == 2u) {
            latency += (int64_t)((random >> 16) % 3000000u);
        }
        value[i] = latency;
    }
}

/** One pass over all values; `at` goes on from round to round, so that windows fill and fold as in a run. */
static double round_of_ours(rts_ticks *at)
{
    const double start = now_ns();
    for (size_t i = 0; i < VALUES; i++) {
        *at += 5000u;
        rts_run_sample(&run, 0, value[i], *at);
    }
    return (now_ns() - start) / VALUES;
}

static double round_of_hdr(struct hdr_histogram *histogram)
{
    const double start = now_ns();
    for (size_t i = 0; i < VALUES; i++) {
        hdr_record_value(histogram, value[i]);
    }
    return (now_ns() - start) / VALUES;
}

int main(int argc, char **argv)
{
    static const rts_measurement measurement = {.name = "bench", .series = {"sample"}, .passes = RTS_PASS_SINGLE};
    static rts_plan plan;
    static const rts_clocks clocks = {.run = {.hz = 1000000000u}, .timer = {.hz = 1000000000u}};
    struct hdr_histogram *histogram = NULL;
    rts_ticks at = 0;
    const long rounds = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
    /* Three significant figures are 2048 sub-buckets, as SUB_BITS 11 are; the same range. */
    if (hdr_init(1, ((int64_t)1 << RTS_PORT_MAX_BITS) - 1, 3, &histogram) != 0) {
        fputs("hdr_init failed\n", stderr);
        return 3;
    }
    fill();
    rts_plan_item_default(&plan.item[0]);
    rts_run_begin(&run, &plan, &plan.item[0], &measurement, 0, &clocks);
    rts_recorder_reset(&run.recorder[0], 0, 1000000u);
    for (long i = 0; i < rounds; i++) {
        const double mine = round_of_ours(&at);
        const double other = round_of_hdr(histogram);
        printf("%.4f %.4f\n", mine, other);
    }
    /* Both have counted the same, or one of the figures means nothing. */
    if (run.recorder[0].count != (uint64_t)rounds * VALUES || histogram->total_count != (int64_t)rounds * VALUES ||
        run.recorder[0].minimum != hdr_min(histogram)) {
        fputs("the two recorders disagree\n", stderr);
        return 3;
    }
    return 0;
}
