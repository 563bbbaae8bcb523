/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The runner answers every item, whatever happens to it, and accounts for every sample.
 */
#include "session.h"

/** Sum of the counts in the `+` and `-` buckets of a series. */
static uint64_t histogram_count(const char *head)
{
    uint64_t sum = 0;
    for (const char *at = strstr(fake.out.text, head); at != NULL; at = strstr(at + 1, head)) {
        const char *number = strstr(at, "\"b\":[") + 5;
        for (;;) {
            char *end = NULL;
            strtoull(number, &end, 10);
            sum += strtoull(end + 1, &end, 10);
            if (*end != ',') {
                break;
            }
            number = end + 1;
        }
    }
    return sum;
}

static void a_single_pass(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"count\":1000");
    assert_int_equal(run_engine(), RTS_EXIT_OK);
    assert_true(said("{\"t\":\"note\",\"item\":0,\"kind\":\"substituted\",\"service\":\"ping-semaphore\",\"text\":"
                     "\"two semaphores\"}"));
    assert_true(said("\"ops\":1,\"priority\":40,\"cpu\":3,\"window_ticks\":\"1000\",\"meaning\":3}"));
    assert_true(said("{\"t\":\"series\",\"item\":0,\"index\":1,\"name\":\"second\"}"));
    assert_true(said(
        "{\"t\":\"check\",\"item\":0,\"name\":\"scripted\",\"value\":\"1016\",\"low\":\"1016\",\"high\":\"2032\"}"));
    assert_true(said(
        "{\"t\":\"check\",\"item\":0,\"name\":\"samples\",\"value\":\"1000\",\"low\":\"1000\",\"high\":\"1000\"}"));
    assert_true(said("{\"t\":\"figure\",\"item\":0,\"name\":\"moved\",\"unit\":\"bytes\",\"value\":\"1000\"}"));
    assert_true(said("{\"t\":\"end\",\"item\":0,\"series\":0,\"status\":\"ok\",\"stop\":\"count\",\"count\":\"1000\","
                     "\"overflow\":\"10\",\"dropped\":\"0\","
                     "\"min\":-993,\"max\":1099511627776,"));
    assert_int_equal(histogram_count("{\"t\":\"hist\",\"item\":0,\"series\":0,"), 990);
    assert_int_equal(histogram_count("{\"t\":\"hist\",\"item\":0,\"series\":1,"), 1000);
    assert_int_equal(histogram_count("{\"t\":\"hist\",\"item\":0,\"series\":0,\"side\":\"-\","), 100);
    assert_int_equal(times_said("{\"t\":\"extreme\",\"item\":0,\"series\":0,"), RTS_PORT_EXTREMES);
    assert_true(said("{\"t\":\"bye\",\"items\":1,\"measured\":1,\"skipped\":0,\"status\":\"ok\","));
    assert_string_equal(fake.calls, "pstr");
    assert_int_equal(fake.operations, 1016); /* 16 of them warm-up */
}

static void two_runs_say_the_same(void **state)
{
    static char first[sizeof fake.out.text];
    PLAN("\"measurement\":\"both\",\"count\":300,\"raw\":1", "\"measurement\":\"limited\",\"pass\":\"batch\"");
    run_engine();
    memcpy(first, fake.out.text, sizeof first);
    fake_reset(state);
    fake.plan = plan_text;
    run_engine();
    assert_string_equal(fake.out.text, first);
}

static void without_a_plan(void **state)
{
    (void)state;
    assert_int_equal(run_engine(), RTS_EXIT_OK);
    assert_true(said("{\"t\":\"env\",\"key\":\"engine.plan\",\"value\":\"built-in\"}"));
    assert_true(said("{\"t\":\"item\",\"item\":1,\"measurement\":\"limited\",\"pass\":\"batch\","));
    assert_true(said("{\"t\":\"bye\",\"items\":7,\"measured\":6,\"skipped\":1,\"status\":\"ok\","));
}

/* A plan and a record have each choice as a measurement of its own, with one series of its name. The measurement's own name is unknown. */
static void a_choice_is_named_and_measured(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"chosen-two-more\",\"count\":5", "\"measurement\":\"chosen-one\",\"count\":5",
         "\"measurement\":\"chosen\"", "\"measurement\":\"chosen-\"", "\"measurement\":\"chosen-two-more-yet\"",
         "\"measurement\":\"both-one\"", "\"measurement\":\"chosen-one\",\"pass\":\"batch\"");
    assert_int_equal(run_engine(), RTS_EXIT_OK);
    assert_true(said("{\"t\":\"begin\",\"item\":0,\"measurement\":\"chosen-two-more\",\"pass\":\"single\","));
    assert_true(said("{\"t\":\"series\",\"item\":0,\"index\":0,\"name\":\"chosen-two-more\"}"));
    assert_true(said("\"min\":2,\"max\":2,"));
    assert_true(said("{\"t\":\"begin\",\"item\":1,\"measurement\":\"chosen-one\",\"pass\":\"single\","));
    assert_true(said("\"min\":0,\"max\":0,"));
    assert_int_equal(
        times_said("\"reason\":\"unknown\",\"service\":\"\",\"text\":\"this engine has no such measurement\""), 4);
    assert_true(said("\"text\":\"this measurement has no batch pass\""));
    assert_true(said("\"measured\":2,\"skipped\":5,\"status\":\"ok\""));
}

static void names_of_choices_are_found_again(void **state)
{
    (void)state;
    static const char *const names[] = {"chosen-one", "chosen-two", "chosen-two-more"};
    assert_int_equal(rts_measurement_names(&fake_chosen), 3);
    assert_int_equal(rts_measurement_names(&fake_both), 1);
    for (uint32_t i = 0; i < 3; i++) {
        char name[RTS_MEASUREMENT_NAME_BYTES];
        uint32_t choice = 9;
        rts_measurement_name(&fake_chosen, i, name);
        assert_string_equal(name, names[i]);
        assert_ptr_equal(rts_measurement_find(name, &choice), &fake_chosen);
        assert_int_equal(choice, i);
    }
    char name[RTS_MEASUREMENT_NAME_BYTES];
    uint32_t choice = 9;
    rts_measurement_name(&fake_both, 0, name);
    assert_string_equal(name, "both");
    assert_ptr_equal(rts_measurement_find(name, &choice), &fake_both);
    assert_int_equal(choice, 0);
}

static void a_refused_plan(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"count\":0");
    assert_int_equal(run_engine(), RTS_EXIT_USAGE);
    assert_true(said("~1 {\"t\":\"refused\",\"text\":\"plan refused at its record 1: count is out of range\"}"));
    assert_true(
        said("~2 {\"t\":\"bye\",\"items\":0,\"measured\":0,\"skipped\":0,\"status\":\"failed\",\"records\":\"3\"}"));
    assert_string_equal(fake.calls, ""); /* nothing was touched */
}

static void what_cannot_be_measured_is_skipped(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"absent\"", "\"measurement\":\"both\",\"load\":\"absent\"", "\"measurement\":\"limited\"",
         "\"measurement\":\"lacking\"", "\"measurement\":\"both\",\"cpu\":4",
         "\"measurement\":\"both\",\"sched\":\"ts\"", "\"measurement\":\"both\",\"count\":1");
    fake.denied = RTS_SERVICE_TIME_SHARING;
    assert_int_equal(run_engine(), RTS_EXIT_OK);
    assert_true(said("{\"t\":\"skip\",\"item\":0,\"measurement\":\"absent\",\"reason\":\"unknown\",\"service\":\"\","
                     "\"text\":\"this engine has no such measurement\"}"));
    assert_true(said("{\"t\":\"skip\",\"item\":1,\"measurement\":\"both\",\"reason\":\"unknown\",\"service\":\"\","
                     "\"text\":\"this engine has no such load\"}"));
    assert_true(
        said("{\"t\":\"skip\",\"item\":2,\"measurement\":\"limited\",\"reason\":\"unsupported\",\"service\":\"\","));
    assert_true(said("{\"t\":\"skip\",\"item\":3,\"measurement\":\"lacking\",\"reason\":\"unsupported\",\"service\":"
                     "\"processes\",\"text\":\"\"}"));
    assert_true(said("{\"t\":\"skip\",\"item\":4,\"measurement\":\"both\",\"reason\":\"invalid\",\"service\":\"\","
                     "\"text\":\"there is no such CPU\"}"));
    assert_true(said("{\"t\":\"skip\",\"item\":5,\"measurement\":\"both\",\"reason\":\"denied\",\"service\":\"time-"
                     "sharing\",\"text\":\"the script says no\"}"));
    assert_true(said("\"measured\":1,\"skipped\":6,\"status\":\"ok\""));
}

static void a_failure_in_mid_run(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"count\":1000", "\"measurement\":\"limited\",\"pass\":\"batch\",\"count\":3");
    fake.fail_after = 216;
    fake.failure = RTS_BROKEN;
    assert_int_equal(run_engine(), RTS_EXIT_OK);
    assert_true(said("{\"t\":\"event\",\"item\":0,\"kind\":\"broken\","));
    assert_true(
        said("{\"t\":\"end\",\"item\":0,\"series\":0,\"status\":\"failed\",\"stop\":\"failed\",\"count\":\"200\","));
    assert_true(said("{\"t\":\"end\",\"item\":1,\"series\":0,\"status\":\"failed\",\"stop\":\"failed\",\"count\":\"0\","
                     "\"overflow\":\"0\",\"dropped\":\"0\",\"sum\""));
    assert_true(said("\"measured\":2,\"skipped\":0,\"status\":\"ok\""));
}

static void a_failure_in_the_warm_up(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\"");
    fake.fail_after = 3;
    fake.failure = RTS_FAILED;
    run_engine();
    assert_true(said("\"status\":\"failed\",\"stop\":\"failed\",\"count\":\"0\""));
}

static void counts_out_of_range_make_it_invalid(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\"");
    fake.check_low = 1;
    run_engine();
    assert_int_equal(times_said("\"status\":\"invalid\",\"stop\":\"count\""), 2);
}

static void lost_or_surplus_samples_make_it_invalid(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"raw\":1,\"count\":10000,\"warmup\":0");
    fake.extra_samples = 2; /* in some slice there is no more room for them */
    fake.operation_cost = 1;
    run_engine();
    assert_true(said("\"status\":\"invalid\""));
    assert_true(fake.longest_slice <= RTS_PORT_RAW_SAMPLES);
}

static void a_series_that_is_not_there(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"count\":10");
    fake.wrong_series = true;
    run_engine();
    assert_true(said("{\"t\":\"event\",\"item\":0,\"kind\":\"contract-broken\","));
    assert_true(
        said("{\"t\":\"end\",\"item\":0,\"series\":1,\"status\":\"failed\",\"stop\":\"count\",\"count\":\"10\""));
}

static void nobody_reads(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"count\":1000000", "\"measurement\":\"both\"");
    fake.lines_until_dead = 17; /* in the midst of begin */
    assert_int_equal(run_engine(), RTS_EXIT_FAILED);
    assert_true(fake.operations < 100); /* it does not measure for nobody */
    assert_string_equal(fake.calls, "pstr");
}

static void clocks_that_are_no_use(void **state)
{
    PLAN("\"measurement\":\"both\"");
    fake.hz = 0;
    assert_int_equal(run_engine(), RTS_EXIT_FAILED);
    assert_true(said("{\"t\":\"refused\",\"text\":\"the frequency of a clock is not known\"}"));
    assert_string_equal(fake.calls, "pr");
    fake_reset(state);
    fake.plan = plan_text;
    fake.still = true;
    assert_int_equal(run_engine(), RTS_EXIT_FAILED);
    assert_true(said("\"text\":\"a clock stands still\""));
}

static void the_timers_clock(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"timed\",\"count\":600,\"period_ns\":1000000,\"warmup\":0");
    fake.operation_cost = 1000;
    fake.duty_run = 300000;
    fake.duty_rest = 50000;
    run_engine();
    assert_true(said("\"clock\":1,"));
    assert_true(said("{\"t\":\"clock\",\"id\":1,\"name\":\"fake-timer\",\"hz\":\"2000000\","));
    assert_int_equal(fake.rests, 0);           /* a period leaves the CPU free */
    assert_int_equal(fake.longest_slice, 250); /* a quarter of a second */
    assert_int_equal(fake.slices, 3);
}

static void calibration_is_told(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"count\":1");
    fake.read_cost = 5;
    run_engine();
    assert_true(said("{\"t\":\"calibration\",\"name\":\"clock-read\",\"clock\":0,\"count\":1000,\"total\":\"5000\","
                     "\"min\":5,\"median\":5,\"max\":5}"));
    assert_true(said("{\"t\":\"calibration\",\"name\":\"loop\",\"clock\":0,\"count\":1000,\"total\":\"15000\",\"min\":"
                     "15,\"median\":15,\"max\":15}"));
    assert_true(said("{\"t\":\"calibration\",\"name\":\"ping-account\",\"clock\":0,\"count\":64000,\"total\":"
                     "\"212000\",\"min\":3,\"median\":3,\"max\":4}"));
    assert_true(said("\"resolution_ticks\":5}")); /* all that can be seen of this clock */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_single_pass, fake_reset),
        cmocka_unit_test_setup(two_runs_say_the_same, fake_reset),
        cmocka_unit_test_setup(without_a_plan, fake_reset),
        cmocka_unit_test_setup(a_choice_is_named_and_measured, fake_reset),
        cmocka_unit_test_setup(names_of_choices_are_found_again, fake_reset),
        cmocka_unit_test_setup(a_refused_plan, fake_reset),
        cmocka_unit_test_setup(what_cannot_be_measured_is_skipped, fake_reset),
        cmocka_unit_test_setup(a_failure_in_mid_run, fake_reset),
        cmocka_unit_test_setup(a_failure_in_the_warm_up, fake_reset),
        cmocka_unit_test_setup(counts_out_of_range_make_it_invalid, fake_reset),
        cmocka_unit_test_setup(lost_or_surplus_samples_make_it_invalid, fake_reset),
        cmocka_unit_test_setup(a_series_that_is_not_there, fake_reset),
        cmocka_unit_test_setup(nobody_reads, fake_reset),
        cmocka_unit_test_setup(clocks_that_are_no_use, fake_reset),
        cmocka_unit_test_setup(the_timers_clock, fake_reset),
        cmocka_unit_test_setup(calibration_is_told, fake_reset),
    };
    return cmocka_run_group_tests(tests, NULL, fake_free);
}
