/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The clocks: their rate, their order, sleeping by them, and how long code may run.
 */
#include <string.h>

#include "port_test.h"

static void the_rate_agrees_with_the_systems_clock(void **state)
{
    (void)state;
    rts_clock_info info;
    assert_int_equal(rts_port_clock_info(&info), RTS_OK);
    assert_true(info.hz > 0);
    assert_int_equal(info.id, 0);
    /* Each reading stands between two of the system's, since a machine may take the CPU away between any two. */
    const rts_ticks before_a = rts_posix_monotonic();
    const rts_ticks ticks_a = rts_clock_read();
    const rts_ticks after_a = rts_posix_monotonic();
    test_sleep_ms(200);
    const rts_ticks before_b = rts_posix_monotonic();
    const rts_ticks ticks_b = rts_clock_read();
    const rts_ticks after_b = rts_posix_monotonic();
    const double ns = (double)(ticks_b - ticks_a) * 1e9 / (double)info.hz;
    assert_true(ns > (double)(before_b - after_a) * 0.999);
    assert_true(ns < (double)(after_b - before_a) * 1.001);
}

static void the_uncertainty_is_stated(void **state)
{
    (void)state;
    rts_clock_info info;
    assert_int_equal(rts_port_clock_info(&info), RTS_OK);
    assert_true(info.source != NULL && info.source[0] != '\0');
    if (rts_posix_counter) {
        assert_true(info.uncertainty_ppb > 0);
        assert_true(info.uncertainty_ppb <= 1000000);
    }
}

static void the_timers_clock_ticks_nanoseconds(void **state)
{
    (void)state;
    rts_clock_info info;
    assert_int_equal(rts_port_timer_clock_info(&info), RTS_OK);
    assert_int_equal(info.hz, 1000000000);
    assert_int_equal(info.id, rts_posix_counter ? 1 : 0);
    const rts_ticks a = rts_timer_clock_read();
    test_sleep_ms(20);
    const rts_ticks b = rts_timer_clock_read();
    assert_true(b - a >= 20000000u);
}

static void readings_never_go_back(void **state)
{
    (void)state;
    rts_ticks last = rts_clock_read();
    for (int i = 0; i < 100000; i++) {
        const rts_ticks now = rts_clock_read();
        assert_true(now >= last);
        last = now;
    }
}

static void without_the_counter_the_run_falls_back_to_the_systems_clock(void **state)
{
    (void)state;
    const bool before = rts_posix_counter;
    rts_posix_counter = false;
    const rts_ticks a = rts_timer_clock_read();
    const rts_ticks b = rts_clock_read();
    const rts_ticks c = rts_timer_clock_read();
    rts_posix_counter = before;
    assert_true(a <= b && b <= c);
}

/* Any clock that times a run has the rate that it states; a clock that does not exist is refused with the reason. */
static void a_chosen_clock_keeps_its_rate(void **state)
{
    (void)state;
    static const char *const names[] = {"gettimeofday", "monotonic-raw", "monotonic"};
    const char *why = NULL;
    assert_null(rts_posix_clock_chosen());
    assert_int_equal(rts_posix_clock_choose("sundial", &why), RTS_INVALID);
    assert_non_null(strstr(why, "no such clock"));
    const char *listed;
    const char *summary;
    for (size_t i = 0; (listed = rts_posix_clock_name(i, &summary)) != NULL; i++) {
        assert_int_not_equal(rts_posix_clock_choose(listed, &why), RTS_INVALID);
        assert_true(summary[0] != '\0');
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(rts_posix_clock_choose(names[i], &why), RTS_OK);
        assert_string_equal(rts_posix_clock_chosen(), names[i]);
        const uint64_t hz = i == 0 ? 1000000u : 1000000000u;
        const rts_ticks before = rts_posix_monotonic();
        const rts_ticks a = rts_clock_read();
        test_sleep_ms(50);
        const rts_ticks b = rts_clock_read();
        const double seconds = (double)(rts_posix_monotonic() - before) / 1e9;
        assert_true((double)(b - a) >= 0.0499 * (double)hz);
        assert_true((double)(b - a) <= seconds * 1.001 * (double)hz + 1.0);
    }
}

static void sleep_never_ends_early(void **state)
{
    (void)state;
    rts_clock_info info;
    assert_int_equal(rts_port_clock_info(&info), RTS_OK);
    for (int i = 1; i <= 20; i++) {
        const rts_ticks when = rts_clock_read() + info.hz / 1000u * (rts_ticks)i / 4u;
        assert_int_equal(rts_port_sleep_until(when), RTS_OK);
        assert_true(rts_clock_read() >= when);
    }
    assert_int_equal(rts_port_sleep_until(0), RTS_OK); /* long past */
}

static void duty_keeps_below_nine_tenths(void **state)
{
    (void)state;
    rts_ticks run = 1;
    rts_ticks rest = 1;
    rts_clock_info info;
    assert_int_equal(rts_port_clock_info(&info), RTS_OK);
    rts_port_duty(&run, &rest);
    if (run == 0) {
        assert_int_equal(rest, 0);
        return;
    }
    assert_true(rest > 0);
    assert_true((double)run / (double)(run + rest) <= 0.9);
    assert_true(run <= info.hz / 20u); /* 50 ms */
}

int main(void)
{
    test_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rate_agrees_with_the_systems_clock),
        cmocka_unit_test(the_uncertainty_is_stated),
        cmocka_unit_test(the_timers_clock_ticks_nanoseconds),
        cmocka_unit_test(readings_never_go_back),
        cmocka_unit_test(without_the_counter_the_run_falls_back_to_the_systems_clock),
        cmocka_unit_test(sleep_never_ends_early),
        cmocka_unit_test(duty_keeps_below_nine_tenths),
        cmocka_unit_test(a_chosen_clock_keeps_its_rate), /* the last: the clock stays chosen */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
