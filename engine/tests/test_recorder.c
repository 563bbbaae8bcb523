/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Everything that a recorder keeps agrees with a naive account of the same samples.
 */
#include "support.h"

#include "../src/recorder.h"

#define SAMPLES 50000

static rts_recorder recorder;
static rts_latency value[SAMPLES];
static rts_ticks at[SAMPLES];

static void fill(uint64_t seed, rts_ticks origin, rts_ticks step)
{
    rts_ticks now = origin;
    for (size_t i = 0; i < SAMPLES; i++) {
        const uint64_t magnitude = test_random_magnitude(&seed, RTS_PORT_MAX_BITS + 4);
        value[i] = i % 5 == 0 ? -(rts_latency)(magnitude >> 12) : (rts_latency)magnitude;
        now += test_random(&seed) % step;
        at[i] = now;
    }
}

static void record(size_t count, rts_ticks origin, rts_ticks width)
{
    rts_recorder_reset(&recorder, origin, width);
    for (size_t i = 0; i < count; i++) {
        rts_recorder_add(&recorder, value[i], at[i]);
    }
    rts_recorder_settle(&recorder);
}

static void sums_and_buckets(void **state)
{
    (void)state;
    fill(11, 1000, 100);
    record(SAMPLES, 1000, 50);
    static uint64_t positive[RTS_POSITIVE_BUCKETS];
    static uint64_t negative[RTS_NEGATIVE_BUCKETS];
    uint64_t overflow = 0;
    int64_t sum = 0; /* 50000 values below 2^(RTS_PORT_MAX_BITS + 4) fit */
    rts_wide squares = {0, 0};
    rts_latency low = value[0];
    rts_latency high = value[0];
    for (size_t i = 0; i < SAMPLES; i++) {
        const rts_latency v = value[i];
        sum += v;
        squares = rts_wide_portable_add(squares, rts_wide_portable_square((uint64_t)(v < 0 ? -v : v)));
        low = v < low ? v : low;
        high = v > high ? v : high;
        if (v >= 0 && v < (rts_latency)1 << RTS_PORT_MAX_BITS) {
            positive[rts_histogram_index(RTS_PORT_SUB_BITS, (uint64_t)v)]++;
        } else if (v < 0 && -v < (rts_latency)1 << RTS_PORT_NEGATIVE_BITS) {
            negative[rts_histogram_index(RTS_PORT_SUB_BITS, (uint64_t)-v)]++;
        } else {
            overflow++;
        }
    }
    assert_true(recorder.count == SAMPLES);
    assert_true(recorder.overflow == overflow && overflow > 100);
    assert_true(recorder.sum.low == (uint64_t)sum && recorder.sum.high == (sum < 0 ? UINT64_MAX : 0));
    assert_true(recorder.sum_of_squares.low == squares.low && recorder.sum_of_squares.high == squares.high);
    assert_true(recorder.minimum == low && recorder.maximum == high);
    uint64_t held = recorder.overflow;
    for (size_t i = 0; i < RTS_POSITIVE_BUCKETS; i++) {
        assert_true(recorder.positive[i] == positive[i]);
        held += recorder.positive[i];
    }
    for (size_t i = 0; i < RTS_NEGATIVE_BUCKETS; i++) {
        assert_true(recorder.negative[i] == negative[i]);
        held += recorder.negative[i];
    }
    assert_true(held == recorder.count);
}

static void edges_of_the_histogram(void **state)
{
    (void)state;
    const rts_latency top = (rts_latency)1 << RTS_PORT_MAX_BITS;
    const rts_latency bottom = -((rts_latency)1 << RTS_PORT_NEGATIVE_BITS);
    rts_recorder_reset(&recorder, 0, 1);
    rts_recorder_add(&recorder, top - 1, 1);
    rts_recorder_add(&recorder, bottom + 1, 2);
    rts_recorder_add(&recorder, 0, 3);
    assert_true(recorder.overflow == 0);
    assert_true(recorder.positive[RTS_POSITIVE_BUCKETS - 1] == 1);
    assert_true(recorder.negative[RTS_NEGATIVE_BUCKETS - 1] == 1);
    assert_true(recorder.positive[0] == 1 && recorder.negative[0] == 0);
    rts_recorder_add(&recorder, top, 4);
    rts_recorder_add(&recorder, bottom, 5);
    rts_recorder_add(&recorder, INT64_MIN, 6);
    rts_recorder_add(&recorder, INT64_MAX, 7);
    assert_true(recorder.overflow == 4 && recorder.count == 7);
    assert_true(recorder.minimum == INT64_MIN && recorder.maximum == INT64_MAX);
}

/** The K largest, of equals the earlier, in order. */
static void extremes(void **state)
{
    (void)state;
    fill(5, 0, 100);
    for (size_t i = 0; i < SAMPLES; i += 3) {
        value[i] = (rts_latency)(i % 1000); /* many equals */
    }
    record(SAMPLES, 0, 50);
    static bool taken[SAMPLES];
    assert_int_equal(recorder.extreme_count, RTS_PORT_EXTREMES);
    for (uint32_t k = 0; k < recorder.extreme_count; k++) {
        size_t best = SAMPLES;
        for (size_t i = 0; i < SAMPLES; i++) {
            if (!taken[i] && (best == SAMPLES || value[i] > value[best])) {
                best = i;
            }
        }
        taken[best] = true;
        assert_true(recorder.extreme[k].value == value[best]);
        assert_true(recorder.extreme[k].index == best);
        assert_true(recorder.extreme[k].at == at[best]);
    }
}

static void fewer_samples_than_extremes(void **state)
{
    (void)state;
    rts_recorder_reset(&recorder, 0, 1);
    for (rts_latency v = 0; v < 3; v++) {
        rts_recorder_add(&recorder, 7, (rts_ticks)v);
    }
    assert_int_equal(recorder.extreme_count, 3);
    for (uint32_t k = 0; k < 3; k++) {
        assert_true(recorder.extreme[k].index == k && recorder.extreme[k].value == 7);
    }
}

static void check_windows(size_t count, rts_ticks origin, rts_ticks width)
{
    static rts_latency expected[RTS_PORT_WINDOWS];
    uint32_t used = 0;
    record(count, origin, width);
    while ((at[count - 1] - origin) / width >= RTS_PORT_WINDOWS) {
        width *= 2;
    }
    for (size_t i = 0; i < RTS_PORT_WINDOWS; i++) {
        expected[i] = RTS_WINDOW_EMPTY;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t w = (size_t)((at[i] - origin) / width);
        expected[w] = value[i] > expected[w] ? value[i] : expected[w];
        used = w + 1 > used ? (uint32_t)(w + 1) : used;
    }
    assert_true(recorder.window_width == width);
    assert_int_equal(recorder.window_used, used);
    assert_memory_equal(recorder.window, expected, sizeof expected);
}

static void windows_fold_in_pairs(void **state)
{
    (void)state;
    static const rts_ticks origins[] = {0, 12345, UINT64_MAX - 1000}; /* the clock itself may wrap */
    for (size_t o = 0; o < sizeof origins / sizeof origins[0]; o++) {
        fill(o + 1, origins[o], 7);
        for (size_t count = 1; count < 3000; count += 97) {
            check_windows(count, origins[o], 1);
            check_windows(count, origins[o], 3);
        }
        fill(o + 1, origins[o], 100000); /* jumps over many windows: gaps stay empty */
        check_windows(SAMPLES, origins[o], 1);
    }
}

static void times_that_go_back(void **state)
{
    (void)state;
    rts_recorder_reset(&recorder, 1000, 10);
    rts_recorder_add(&recorder, 5, 1055);
    rts_recorder_add(&recorder, 9, 1001); /* an earlier window, after a later one */
    rts_recorder_add(&recorder, 3, 990);  /* before the origin: the first window */
    rts_recorder_add(&recorder, 4, 1058);
    rts_recorder_settle(&recorder);
    assert_true(recorder.window[0] == 9 && recorder.window[5] == 5);
    assert_int_equal(recorder.window_used, 6);
    assert_true(recorder.window_width == 10);
    for (size_t i = 1; i < 5; i++) {
        assert_true(recorder.window[i] == RTS_WINDOW_EMPTY);
    }
}

static void sums_beyond_64_and_96_bits(void **state)
{
    (void)state;
    const rts_latency large = (rts_latency)1 << 52;
    rts_recorder_reset(&recorder, 0, UINT64_MAX);
    for (int i = 0; i < 8192; i++) { /* sum 2^65, squares 2^117 */
        rts_recorder_add(&recorder, large, 0);
    }
    assert_true(recorder.sum.high == 2 && recorder.sum.low == 0);
    assert_true(recorder.sum_of_squares.high == (uint64_t)1 << 53 && recorder.sum_of_squares.low == 0);
    assert_true(rts_recorder_sound(&recorder));
    for (int i = 0; i < 3 * 8192; i++) {
        rts_recorder_add(&recorder, -large, 0);
    }
    assert_true(recorder.sum.high == UINT64_MAX - 3 && recorder.sum.low == 0); /* -2^66 */
    assert_true(recorder.sum_of_squares.high == (uint64_t)1 << 55);
}

/** Quick samples carry into the high halves, a negative sum becomes positive, and a sample too large for 64 bits is exact too. */
static void carries_of_quick_samples(void **state)
{
    (void)state;
    const rts_latency large = ((rts_latency)1 << (RTS_PORT_MAX_BITS < 32 ? RTS_PORT_MAX_BITS : 32)) - 1;
    rts_wide sum = {UINT64_MAX, UINT64_MAX - 109u * (uint64_t)large};
    rts_wide squares = {0, UINT64_MAX};
    rts_recorder_reset(&recorder, 0, UINT64_MAX);
    recorder.sum = sum;
    recorder.sum_of_squares = squares;
    for (int i = 0; i < 200; i++) {
        const rts_latency sample = i % 50 == 49 ? large + 1 : large - i % 3;
        const rts_wide wide = {0, (uint64_t)sample};
        sum = rts_wide_portable_add(sum, wide);
        squares = rts_wide_portable_add(squares, rts_wide_portable_square((uint64_t)sample));
        rts_recorder_add(&recorder, sample, 0);
        assert_true(recorder.sum.high == sum.high && recorder.sum.low == sum.low);
        assert_true(recorder.sum_of_squares.high == squares.high && recorder.sum_of_squares.low == squares.low);
    }
    assert_true(sum.high == 0 && squares.high > 10);
}

static void what_is_not_to_be_believed(void **state)
{
    (void)state;
    rts_recorder_reset(&recorder, 0, 1);
    assert_true(rts_recorder_sound(&recorder));
    rts_recorder_add(&recorder, ((rts_latency)1 << 53) - 1, 0);
    assert_true(rts_recorder_sound(&recorder));
    recorder.count = (uint64_t)1 << 23; /* 2^53 squared 2^23 times may be 2^129 */
    assert_false(rts_recorder_sound(&recorder));
    recorder.count = 1;
    rts_recorder_add(&recorder, -((rts_latency)1 << 53), 0);
    assert_false(rts_recorder_sound(&recorder));
}

static void batch_totals(void **state)
{
    (void)state;
    rts_recorder_reset(&recorder, 0, 1);
    rts_recorder_add_total(&recorder, (rts_latency)1 << 40);
    rts_recorder_add_total(&recorder, 3);
    assert_true(recorder.count == 2 && recorder.overflow == 0);
    assert_true(recorder.minimum == 3 && recorder.maximum == (rts_latency)1 << 40);
    assert_true(recorder.sum.low == ((uint64_t)1 << 40) + 3);
    assert_int_equal(recorder.extreme_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_buckets),
        cmocka_unit_test(edges_of_the_histogram),
        cmocka_unit_test(extremes),
        cmocka_unit_test(fewer_samples_than_extremes),
        cmocka_unit_test(windows_fold_in_pairs),
        cmocka_unit_test(times_that_go_back),
        cmocka_unit_test(sums_beyond_64_and_96_bits),
        cmocka_unit_test(carries_of_quick_samples),
        cmocka_unit_test(what_is_not_to_be_believed),
        cmocka_unit_test(batch_totals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
