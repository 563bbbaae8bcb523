/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What of a load's counts came in a second: rounded, exact however much was counted, and nothing where the time says nothing.
 */
#include "../../engine/tests/checks.h"
#include "../loads/programs.h"

#define SECOND_NS UINT64_C(1000000000)

static void rates_are_rounded(void **state)
{
    (void)state;
    assert_int_equal(rts_programs_rate(10, SECOND_NS), 10);
    assert_int_equal(rts_programs_rate(1, 3 * SECOND_NS), 0);
    assert_int_equal(rts_programs_rate(2, 3 * SECOND_NS), 1);
    assert_int_equal(rts_programs_rate(1, 2 * SECOND_NS), 1);
    assert_int_equal(rts_programs_rate(7, 1000), 7000000);
}

static void what_is_too_short_has_no_rate(void **state)
{
    (void)state;
    assert_int_equal(rts_programs_rate(7, 999), 0);
    assert_int_equal(rts_programs_rate(7, 0), 0);
}

static void large_counts_do_not_overflow(void **state)
{
    (void)state;
    const uint64_t hours_16_ns = 57600 * SECOND_NS;
    const uint64_t count = UINT64_C(57600) * 20000000000u + 1u; /* 20 GB in each second of sixteen hours */
    assert_int_equal(rts_programs_rate(count, hours_16_ns), UINT64_C(20000000000));
}

static void a_loads_own_rate_is_over_its_own_time(void **state)
{
    (void)state;
    rts_clock_info clock;
    assert_int_equal(rts_port_clock_info(&clock), RTS_OK);
    const rts_programs load = {.began = 5, .ended = 5 + 3 * clock.hz};
    assert_int_equal(rts_programs_per_s(&load, 2), 1);
}

int main(void)
{
    test_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_rounded),
        cmocka_unit_test(what_is_too_short_has_no_rate),
        cmocka_unit_test(large_counts_do_not_overflow),
        cmocka_unit_test(a_loads_own_rate_is_over_its_own_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
