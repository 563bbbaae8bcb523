/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Loads run around their items, together or not at all, and one that fails takes only its items with it. A load reports its counts as rates.
 */
#include "session.h"

static void setup_and_load_that_fail(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"load\":\"busy\",\"intensity\":2");
    fake.setup = RTS_DENIED;
    run_engine();
    assert_true(said("\"reason\":\"denied\",\"service\":\"\",\"text\":\"what it needs could not be made\""));
    assert_string_equal(fake.calls, "pLstlr"); /* torn down, the load stopped */
    fake_reset(state);
    fake.plan = plan_text;
    fake.setup = RTS_DENIED;
    fake.why = "it needs a privilege: sudo";
    run_engine();
    assert_true(said("\"reason\":\"denied\",\"service\":\"\",\"text\":\"it needs a privilege: sudo\""));
    fake_reset(state);
    fake.plan = plan_text;
    fake.load_start = RTS_NO_MEMORY;
    run_engine();
    assert_true(said("\"reason\":\"failed\",\"service\":\"\",\"text\":\"the load could not be started\""));
    assert_string_equal(fake.calls, "pLr");
}

static void a_load_runs_around_the_measurement(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"load\":\"busy\",\"intensity\":2,\"count\":5");
    run_engine();
    assert_string_equal(fake.calls, "pLstlr");
    assert_true(said("{\"t\":\"load\",\"item\":0,\"name\":\"busy\",\"key\":\"intensity\",\"value\":\"2\"}"));
    assert_true(said(
        "{\"t\":\"load\",\"item\":0,\"name\":\"busy\",\"key\":\"iterations\",\"value\":\"18446744073709551615\"}"));
}

static void loads_run_together(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"load\":\"busy+other\",\"intensity\":2,\"count\":5");
    run_engine();
    assert_string_equal(fake.calls, "pLOstolr");
    assert_true(said("\"name\":\"busy\",\"key\":\"iterations\""));
    assert_true(said("\"name\":\"other\",\"key\":\"intensity\",\"value\":\"2\""));
    assert_true(said("\"load\":\"busy+other\",\"clock\""));
    assert_true(said("\"kind\":\"substituted\",\"service\":\"load\",\"text\":\"it stands in for a load\""));
    assert_true(said("\"kind\":\"environment\",\"service\":\"load\",\"text\":\"it writes to a disk\""));
    assert_true(said("\"status\":\"ok\",\"stop\":\"count\""));
}

static void of_loads_together_one_may_fail(void **state)
{
    PLAN("\"measurement\":\"both\",\"load\":\"busy+other\",\"intensity\":2,\"count\":5");
    fake.other_start = RTS_NO_MEMORY;
    run_engine();
    assert_string_equal(fake.calls, "pLOlr"); /* what had started is stopped */
    assert_true(said("\"reason\":\"failed\",\"service\":\"\",\"text\":\"there is no room on the disk\""));
    fake_reset(state);
    fake.plan = plan_text;
    fake.other_faults = 1; /* it broke in mid-run */
    run_engine();
    assert_true(said("\"name\":\"load-faults\",\"value\":\"1\",\"low\":\"0\",\"high\":\"0\""));
    assert_true(said("\"status\":\"invalid\""));
}

static void loads_that_do_not_go_together(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"load\":\"busy+busy\"", "\"measurement\":\"both\",\"load\":\"busy+absent\"",
         "\"measurement\":\"both\",\"load\":\"busy+\"", "\"measurement\":\"both\",\"load\":\"+busy\"",
         "\"measurement\":\"both\",\"load\":\"none+busy\"");
    run_engine();
    assert_string_equal(fake.calls, "pr");
    assert_true(said("a load is named twice"));
    assert_true(said("\"measured\":0,\"skipped\":5"));
}

static void samples_in_bursts_are_counted_apart(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"load\":\"other\",\"count\":5",
         "\"measurement\":\"both\",\"load\":\"busy\",\"count\":5");
    run_engine();
    assert_true(said("\"item\":0,\"name\":\"first-in-bursts\",\"unit\":\"samples\",\"value\":\"5\""));
    assert_true(said("\"name\":\"first-in-bursts-above-100us\",\"unit\":\"samples\",\"value\":\"0\""));
    assert_true(said("\"name\":\"second-in-bursts\",\"unit\":\"samples\",\"value\":\"0\""));
    assert_true(said("\"name\":\"second-between-bursts\",\"unit\":\"samples\",\"value\":\"5\""));
    assert_int_equal(fake.other_looks, 10); /* none of the warm-up, none under the other load */
    assert_false(said("\"item\":1,\"name\":\"first-in-bursts\""));
}

static void required_loads_are_tried_first(void **state)
{
    loads_required = true;
    PLAN("\"measurement\":\"both\",\"load\":\"busy\",\"intensity\":2,\"count\":5", "\"measurement\":\"both\"",
         "\"measurement\":\"both\",\"load\":\"busy\",\"intensity\":2,\"count\":5");
    assert_int_equal(run_engine(), RTS_EXIT_OK);
    assert_memory_equal(fake.calls, "pLl", 3); /* once, before all */
    assert_true(said("\"measured\":3"));
    PLAN("\"measurement\":\"both\"", "\"measurement\":\"both\",\"load\":\"other\"");
    fake_reset(state);
    fake.plan = plan_text;
    fake.other_start = RTS_DENIED;
    assert_int_equal(run_engine(), RTS_EXIT_FAILED);
    assert_string_equal(fake.calls, "pOr"); /* nothing was measured */
    assert_true(
        said("{\"t\":\"refused\",\"text\":\"the load other cannot be started: there is no room on the disk\"}"));
    assert_true(said("\"measured\":0,\"skipped\":0,\"status\":\"failed\""));
    PLAN("\"measurement\":\"both\",\"load\":\"absent\"");
    fake_reset(state);
    fake.plan = plan_text;
    assert_int_equal(run_engine(), RTS_EXIT_FAILED);
    assert_true(said("the load absent cannot be started: this engine has no such load"));
    loads_required = false;
}

#define SECOND_NS UINT64_C(1000000000)
#define DAYS_200_S UINT64_C(17280000)

static void rates_are_rounded_to_the_nearest(void **state)
{
    (void)state;
    assert_int_equal(rts_load_per_s(10, SECOND_NS), 10);
    assert_int_equal(rts_load_per_s(1, 3 * SECOND_NS), 0);
    assert_int_equal(rts_load_per_s(2, 3 * SECOND_NS), 1);
    assert_int_equal(rts_load_per_s(1, 2 * SECOND_NS), 1); /* half of one: upwards */
    assert_int_equal(rts_load_per_s(7, 1000), 7000000);
    assert_int_equal(rts_load_per_s(7, 1999), 7000000); /* of the time, whole microseconds count */
    assert_int_equal(rts_load_per_s(0, SECOND_NS), 0);
}

static void a_time_that_is_too_short_has_no_rate(void **state)
{
    (void)state;
    assert_int_equal(rts_load_per_s(7, 999), 0);
    assert_int_equal(rts_load_per_s(7, 0), 0);
    assert_int_equal(rts_load_per_s(UINT64_MAX, 0), 0);
}

static void large_counts_and_long_times_do_not_overflow(void **state)
{
    (void)state;
    const uint64_t in_2_32 = UINT64_C(1) << 32;
    assert_int_equal(rts_load_per_s(in_2_32, SECOND_NS), in_2_32);
    assert_int_equal(rts_load_per_s(in_2_32, SECOND_NS / 2), 2 * in_2_32);
    assert_int_equal(rts_load_per_s(in_2_32, 3 * SECOND_NS), 1431655765); /* a third is 1431655765.33 */
    const uint64_t hours_16_s = 57600;
    const uint64_t per_s = UINT64_C(20000000000); /* bytes, say: more than 2^64 / 1000000 in this time */
    assert_int_equal(rts_load_per_s(hours_16_s * per_s + 1u, hours_16_s * SECOND_NS), per_s);
    const uint64_t half = DAYS_200_S / 2;
    assert_int_equal(rts_load_per_s(DAYS_200_S * 8000 + half - 1, DAYS_200_S * SECOND_NS), 8000);
    assert_int_equal(rts_load_per_s(DAYS_200_S * 8000 + half, DAYS_200_S * SECOND_NS), 8001);
}

static void ticks_become_nanoseconds(void **state)
{
    (void)state;
    assert_int_equal(rts_load_ns(5), 5000); /* of the fake port's clock of 1 MHz */
    fake.hz = 3;
    assert_int_equal(rts_load_ns(1), 333333333);
    assert_int_equal(rts_load_ns(2), 666666666); /* rounded down */
    fake.hz = (UINT64_C(1) << 34) - 1;
    assert_int_equal(rts_load_ns(DAYS_200_S * fake.hz + fake.hz - 1), DAYS_200_S * SECOND_NS + SECOND_NS - 1);
    fake.hz = 0;
    assert_int_equal(rts_load_ns(5), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(setup_and_load_that_fail, fake_reset),
        cmocka_unit_test_setup(a_load_runs_around_the_measurement, fake_reset),
        cmocka_unit_test_setup(loads_run_together, fake_reset),
        cmocka_unit_test_setup(of_loads_together_one_may_fail, fake_reset),
        cmocka_unit_test_setup(loads_that_do_not_go_together, fake_reset),
        cmocka_unit_test_setup(samples_in_bursts_are_counted_apart, fake_reset),
        cmocka_unit_test_setup(required_loads_are_tried_first, fake_reset),
        cmocka_unit_test(rates_are_rounded_to_the_nearest),
        cmocka_unit_test(a_time_that_is_too_short_has_no_rate),
        cmocka_unit_test(large_counts_and_long_times_do_not_overflow),
        cmocka_unit_test_setup(ticks_become_nanoseconds, fake_reset),
    };
    return cmocka_run_group_tests(tests, NULL, fake_free);
}
