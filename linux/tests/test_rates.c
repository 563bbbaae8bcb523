/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The rate of a load's count: over the load's own time. The rounding is tested in engine/tests/test_engine_loads.c.
 */
#include "../../engine/tests/checks.h"
#include "../loads/programs.h"

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
        cmocka_unit_test(a_loads_own_rate_is_over_its_own_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
