/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Buckets are those of spec/record-stream.md, over the whole range and for every resolution.
 */
#include "support.h"

#include "../src/histogram.h"

/** The specification's formula, bit by bit. */
static size_t naive_index(uint32_t sub_bits, uint64_t magnitude)
{
    uint32_t length = 0;
    while (length < 64 && magnitude >> length != 0) {
        length++;
    }
    const uint32_t e = length > sub_bits ? length - sub_bits : 0;
    return (size_t)e * ((size_t)1 << (sub_bits - 1)) + (size_t)(magnitude >> e);
}

static void check_value(uint32_t sub_bits, uint64_t magnitude)
{
    const size_t index = rts_histogram_index(sub_bits, magnitude);
    const uint64_t lowest = rts_histogram_lowest(sub_bits, index);
    const uint64_t width = rts_histogram_width(sub_bits, index);
    assert_true(index == naive_index(sub_bits, magnitude));
    assert_true(lowest <= magnitude && magnitude - lowest < width);
    assert_true(width == 1 || width <= lowest >> (sub_bits - 1)); /* the stated error */
}

static void around_every_power_of_two(void **state)
{
    (void)state;
    for (uint32_t sub_bits = 1; sub_bits <= 16; sub_bits++) {
        for (uint32_t bit = 0; bit < 64; bit++) {
            const uint64_t power = (uint64_t)1 << bit;
            for (uint64_t near = 0; near < 5 && near <= power; near++) {
                check_value(sub_bits, power - near);
                check_value(sub_bits, power + near);
            }
        }
        check_value(sub_bits, UINT64_MAX);
    }
}

static void random_values(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 200000; i++) {
        check_value(1 + (uint32_t)(i % 16), test_random_magnitude(&seed, 64));
    }
}

static void buckets_leave_no_gap(void **state)
{
    (void)state;
    for (uint32_t sub_bits = 1; sub_bits <= 12; sub_bits++) {
        for (uint32_t bits = 1; bits <= 40; bits++) {
            const size_t buckets = RTS_HISTOGRAM_BUCKETS(sub_bits, bits);
            uint64_t next = 0;
            for (size_t i = 0; i < buckets; i++) {
                assert_true(rts_histogram_lowest(sub_bits, i) == next);
                next += rts_histogram_width(sub_bits, i);
            }
            assert_true(next == (uint64_t)1 << bits); /* exactly the values below 2^bits have one */
        }
    }
}

static void bit_lengths(void **state)
{
    (void)state;
    assert_int_equal(rts_bit_length(0), 0);
    for (uint32_t bit = 0; bit < 64; bit++) {
        assert_int_equal(rts_bit_length((uint64_t)1 << bit), bit + 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(around_every_power_of_two),
        cmocka_unit_test(random_values),
        cmocka_unit_test(buckets_leave_no_gap),
        cmocka_unit_test(bit_lengths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
