/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A pass is cut into slices that keep budgets, rest, and end on request; no sample is lost at a cut.
 */
#include "session.h"

static void every_raw_sample_is_sent(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"count\":9000,\"raw\":1,\"warmup\":5");
    fake.operation_cost = 3;
    run_engine();
    uint64_t next = 0;
    for (const char *at = strstr(fake.out.text, "{\"t\":\"samples\",\"item\":0,\"series\":0,"); at != NULL;
         at = strstr(at + 1, "{\"t\":\"samples\",\"item\":0,\"series\":0,")) {
        assert_true(strtoull(strstr(at, "\"first\":") + 8, NULL, 10) == next);
        char *number = strstr(at, "\"v\":[") + 4;
        while (*number != ']') {
            assert_true(strtoll(number + 1, &number, 10) == fake_value(next));
            next++;
        }
    }
    assert_int_equal(next, 9000);
    assert_true(said("\"count\":\"9000\",\"overflow\":\"90\",\"dropped\":\"0\""));
}

static void a_batch_pass(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"limited\",\"pass\":\"batch\",\"count\":20,\"sets\":50,\"warmup\":3");
    run_engine();
    assert_true(said("\"ops\":20,\"priority\":30,")); /* the limit is of a window */
    assert_true(said("\"readings\":3}"));
    assert_true(said("{\"t\":\"batch\",\"item\":0,\"first\":0,\"v\":[2000,2000,"));
    assert_true(said("\"status\":\"ok\",\"stop\":\"count\",\"count\":\"50\",\"overflow\":\"0\",\"dropped\":\"0\","
                     "\"min\":2000,\"max\":2000,\"sum\":\"100000\",\"sumsq\":\"200000000\""));
    assert_int_equal(times_said("\"hist\"") + times_said("\"extreme\"") + times_said("\"t\":\"window\""), 0);
    assert_int_equal(fake.operations, 3 + 50 * 20);
}

static void long_sets_are_cut_and_rest(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"pass\":\"batch\",\"count\":100000,\"sets\":2");
    fake.duty_run = 300000; /* 0.3 s; a set takes 10 s */
    fake.duty_rest = 50000;
    run_engine();
    assert_true(said(
        "\"count\":\"2\",\"overflow\":\"0\",\"dropped\":\"0\",\"min\":10000000,\"max\":10000000,\"sum\":\"20000000\""));
    assert_true(fake.rests >= 66);
    assert_true(fake.longest_without_rest <= fake.duty_run + 1000);
}

static void singles_rest_too(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"count\":20000");
    fake.duty_run = 300000;
    fake.duty_rest = 50000;
    run_engine();
    assert_true(said("\"stop\":\"count\",\"count\":\"20000\""));
    assert_true(fake.rests >= 6);
    assert_true(fake.longest_without_rest <= fake.duty_run + 1000);
}

static uint64_t sample_count(unsigned item)
{
    char result[48];
    snprintf(result, sizeof result, "\"item\":%u,\"series\":0,\"status\":\"ok\"", item);
    const char *const at = strstr(fake.out.text, result);
    assert_non_null(at);
    return strtoull(strstr(at, "\"count\":\"") + 9, NULL, 10);
}

/** 200 samples of 100 µs take a fiftieth of their second: items with `spare` share the rest, and nobody else has of it. */
static void what_is_left_of_budgets_is_shared(void **state)
{
    (void)state;
    const char *const fast = "\"measurement\":\"both\",\"count\":200,\"budget_ms\":1000,\"warmup\":0";
    const char *const slow = "\"measurement\":\"both\",\"count\":4000000000,\"budget_ms\":100,\"warmup\":0";
    const char *const more = "\"measurement\":\"both\",\"count\":4000000000,\"budget_ms\":100,\"warmup\":0,\"spare\":1";
    const char *const none = "\"measurement\":\"both\",\"count\":3000,\"warmup\":0,\"spare\":1";
    PLAN(fast, slow, more, more, none);
    run_engine();
    assert_in_range(sample_count(1), 900, 1100);
    assert_in_range(sample_count(2), 5500, 6100); /* 100 ms, and half of the 980 that were left */
    assert_in_range(sample_count(3), 5500, 6100);
    assert_int_equal(sample_count(4), 3000);
}

static void a_budget_ends_it(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"count\":4000000000,\"budget_ms\":700",
         "\"measurement\":\"both\",\"pass\":\"batch\",\"sets\":4000000000,\"budget_ms\":700");
    const rts_ticks before = fake.now;
    run_engine();
    assert_int_equal(times_said("\"stop\":\"budget\""), 3);
    assert_true(fake.now - before < 2 * 700000 + 200000);
    assert_true(said(
        "\"item\":1,\"series\":0,\"status\":\"ok\",\"stop\":\"budget\",\"count\":\"6\"")); /* 0.1 s a set; the seventh is not done */
}

/* However short the time and however dear the operation: a result that was begun has something in it. */
static void a_budget_does_not_end_what_has_nothing_yet(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"pass\":\"batch\",\"count\":500,\"sets\":20,\"budget_ms\":60",
         "\"measurement\":\"both\",\"count\":500,\"budget_ms\":60,\"warmup\":100");
    fake.operation_cost = 1000; /* 1 ms */
    run_engine();
    assert_true(said("\"item\":0,\"series\":0,\"status\":\"ok\",\"stop\":\"budget\",\"count\":\"1\",\"overflow\":\"0\","
                     "\"dropped\":\"0\",\"min\":500000,\"max\":500000,"));
    assert_true(said("\"item\":1,\"series\":0,\"status\":\"ok\",\"stop\":\"budget\",\"count\":\"1\","));
    assert_int_equal(fake.operations, 16 + 500 + 100 + 1);
}

static void an_interruption_ends_the_session(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"count\":1000000", "\"measurement\":\"both\"");
    fake.interrupted_after = 10;
    assert_int_equal(run_engine(), RTS_EXIT_INTERRUPTED);
    assert_true(said("\"item\":0,\"series\":0,\"status\":\"ok\",\"stop\":\"interrupted\",\"count\":\""));
    assert_false(said("\"item\":0,\"series\":0,\"status\":\"ok\",\"stop\":\"interrupted\",\"count\":\"0\""));
    assert_true(said("{\"t\":\"skip\",\"item\":1,\"measurement\":\"both\",\"reason\":\"interrupted\","));
    assert_true(said("\"measured\":1,\"skipped\":1,\"status\":\"interrupted\""));
    assert_string_equal(fake.calls, "pstr");
}

static void a_measurement_that_says_interrupted(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\"", "\"measurement\":\"both\"");
    fake.fail_after = 40;
    fake.failure = RTS_INTERRUPTED;
    assert_int_equal(run_engine(), RTS_EXIT_INTERRUPTED);
    assert_true(said("\"status\":\"ok\",\"stop\":\"interrupted\",\"count\":\"24\""));
}

static void caches_are_flushed_before_each_operation(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"count\":50,\"cache\":\"flushed\"");
    run_engine();
    assert_int_equal(fake.flushes, 66);
    assert_true(said("\"status\":\"ok\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_raw_sample_is_sent, fake_reset),
        cmocka_unit_test_setup(a_batch_pass, fake_reset),
        cmocka_unit_test_setup(long_sets_are_cut_and_rest, fake_reset),
        cmocka_unit_test_setup(singles_rest_too, fake_reset),
        cmocka_unit_test_setup(what_is_left_of_budgets_is_shared, fake_reset),
        cmocka_unit_test_setup(a_budget_ends_it, fake_reset),
        cmocka_unit_test_setup(a_budget_does_not_end_what_has_nothing_yet, fake_reset),
        cmocka_unit_test_setup(an_interruption_ends_the_session, fake_reset),
        cmocka_unit_test_setup(a_measurement_that_says_interrupted, fake_reset),
        cmocka_unit_test_setup(caches_are_flushed_before_each_operation, fake_reset),
    };
    return cmocka_run_group_tests(tests, NULL, fake_free);
}
