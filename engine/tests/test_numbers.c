/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers are written and read as they must be, the 128-bit ones too, and 128-bit sums are the same with and without the compiler's type.
 */
#include "support.h"

#include "../src/text.h"
#include "../src/wide.h"

static const char *unsigned_text(uint64_t value)
{
    static char out[RTS_NUMBER_BYTES + 1];
    out[rts_format_unsigned(out, value)] = '\0';
    return out;
}

static const char *signed_text(int64_t value)
{
    static char out[RTS_NUMBER_BYTES + 1];
    out[rts_format_signed(out, value)] = '\0';
    return out;
}

static const char *wide_text(uint64_t high, uint64_t low)
{
    static char out[RTS_NUMBER_BYTES + 1];
    const rts_wide value = {high, low};
    out[rts_format_wide(out, value)] = '\0';
    return out;
}

static const char *wide_signed_text(uint64_t high, uint64_t low)
{
    static char out[RTS_NUMBER_BYTES + 1];
    const rts_wide value = {high, low};
    out[rts_format_wide_signed(out, value)] = '\0';
    return out;
}

static void numbers(void **state)
{
    (void)state;
    assert_string_equal(unsigned_text(0), "0");
    assert_string_equal(unsigned_text(10), "10");
    assert_string_equal(unsigned_text(UINT64_MAX), "18446744073709551615");
    assert_string_equal(signed_text(-1), "-1");
    assert_string_equal(signed_text(INT64_MIN), "-9223372036854775808");
    assert_string_equal(signed_text(INT64_MAX), "9223372036854775807");
    char hex[17] = {0};
    rts_format_hex(hex, 0x0123456789abcdefu, 16);
    assert_string_equal(hex, "0123456789abcdef");
}

/* The powers of two were worked out by hand (and are in any table of them). */
static void wide_numbers(void **state)
{
    (void)state;
    assert_string_equal(wide_text(0, 0), "0");
    assert_string_equal(wide_text(0, 1000000000), "1000000000");
    assert_string_equal(wide_text(1, 0), "18446744073709551616");
    assert_string_equal(wide_text((uint64_t)1 << 32, 0), "79228162514264337593543950336");
    assert_string_equal(wide_text(UINT64_MAX, UINT64_MAX), "340282366920938463463374607431768211455");
    assert_string_equal(wide_signed_text((uint64_t)1 << 63, 0), "-170141183460469231731687303715884105728");
    assert_string_equal(wide_signed_text(UINT64_MAX, UINT64_MAX), "-1");
    assert_string_equal(wide_signed_text(UINT64_MAX, 0), "-18446744073709551616");
}

static void random_numbers_against_printf(void **state)
{
    (void)state;
    uint64_t seed = 1;
    char expected[32];
    for (int i = 0; i < 20000; i++) {
        const uint64_t value = test_random_magnitude(&seed, 64);
        uint64_t back = 0;
        snprintf(expected, sizeof expected, "%llu", (unsigned long long)value);
        assert_string_equal(unsigned_text(value), expected);
        assert_string_equal(wide_text(0, value), expected);
        assert_true(rts_parse_unsigned(expected, strlen(expected), &back));
        assert_true(back == value);
        snprintf(expected, sizeof expected, "%lld", (long long)value);
        assert_string_equal(signed_text((int64_t)value), expected);
    }
}

static void numbers_that_are_none(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "01", "+1", "-1", "1x", " 1", "18446744073709551616", "99999999999999999999"};
    uint64_t value = 0;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_false(rts_parse_unsigned(bad[i], strlen(bad[i]), &value));
    }
    assert_true(rts_parse_unsigned("0", 1, &value));
    assert_true(value == 0);
}

static void squares_by_hand(void **state)
{
    (void)state;
    rts_wide square = rts_wide_portable_square(UINT64_MAX); /* (2^64 - 1)^2 = 2^128 - 2^65 + 1 */
    assert_true(square.high == UINT64_MAX - 1u && square.low == 1u);
    square = rts_wide_portable_square((uint64_t)1 << 47); /* 2^94; eight of them are 2^97 */
    rts_wide sum = {0, 0};
    for (int i = 0; i < 8; i++) {
        sum = rts_wide_portable_add(sum, square);
    }
    assert_string_equal(wide_text(sum.high, sum.low), "158456325028528675187087900672");
    square = rts_wide_portable_square(0xffffffffu); /* the 32-bit halves carry: 2^64 - 2^33 + 1 */
    assert_true(square.high == 0 && square.low == 0xfffffffe00000001u);
    square = rts_wide_portable_square(0x100000001u); /* 2^64 + 2^33 + 1 */
    assert_true(square.high == 1 && square.low == 0x200000001u);
}

static void with_and_without_the_compilers_type(void **state)
{
    (void)state;
    uint64_t seed = 7;
    rts_wide a = {0, 0};
    rts_wide b = {0, 0};
    for (int i = 0; i < 100000; i++) {
        const uint64_t m = test_random_magnitude(&seed, 64);
        const rts_wide square = rts_wide_square(m);
        const rts_wide portable = rts_wide_portable_square(m);
        assert_true(square.high == portable.high && square.low == portable.low);
        a = rts_wide_add(a, square);
        b = rts_wide_portable_add(b, portable);
        assert_true(a.high == b.high && a.low == b.low);
#ifdef __SIZEOF_INT128__
        __extension__ const unsigned __int128 native = (unsigned __int128)m * m;
        assert_true(portable.high == (uint64_t)(native >> 64) && portable.low == (uint64_t)native);
#endif
    }
}

static void signs(void **state)
{
    (void)state;
    rts_wide sum = rts_wide_from_signed(-5);
    assert_true(rts_wide_is_negative(sum));
    sum = rts_wide_add(sum, rts_wide_from_signed(5));
    assert_true(sum.high == 0 && sum.low == 0);
    sum = rts_wide_add(rts_wide_from_signed(INT64_MIN), rts_wide_from_signed(INT64_MIN));
    assert_string_equal(wide_signed_text(sum.high, sum.low), "-18446744073709551616");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(wide_numbers),
        cmocka_unit_test(random_numbers_against_printf),
        cmocka_unit_test(numbers_that_are_none),
        cmocka_unit_test(squares_by_hand),
        cmocka_unit_test(with_and_without_the_compilers_type),
        cmocka_unit_test(signs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
