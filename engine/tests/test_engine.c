/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The runner answers every item, whatever happens to it, and accounts for every sample.
 */
#include "fake_port.h"

#include "../src/frame.h"
#include "../src/run.h"

static char plan_text[4096];
static bool loads_required;

/** Frames a plan of items, each given as the keys behind its number. */
static void plan_of(size_t count, const char *const *items)
{
    static capture lines;
    char payload[300];
    rts_writer writer;
    memset(&lines, 0, sizeof lines);
    rts_writer_init(&writer, capture_line, &lines);
    snprintf(payload, sizeof payload, "{\"t\":\"plan\",\"v\":\"1.0\",\"seed\":\"9\",\"repetition\":2,\"items\":%zu%s}",
             count, loads_required ? ",\"loads_required\":1" : "");
    rts_writer_payload(&writer, payload, strlen(payload));
    for (size_t i = 0; i < count; i++) {
        snprintf(payload, sizeof payload, "{\"t\":\"item\",\"item\":%zu,%s}", i, items[i]);
        assert_true(rts_writer_payload(&writer, payload, strlen(payload)));
    }
    rts_writer_payload(&writer, "{\"t\":\"go\"}", 10);
    memcpy(plan_text, lines.text, lines.length + 1);
    fake.plan = plan_text;
}

#define PLAN(...)                                                                                                      \
    plan_of(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), (const char *const[]){__VA_ARGS__})

static bool said(const char *text)
{
    return strstr(fake.out.text, text) != NULL;
}

static size_t times_said(const char *text)
{
    size_t count = 0;
    for (const char *at = strstr(fake.out.text, text); at != NULL; at = strstr(at + 1, text)) {
        count++;
    }
    return count;
}

/** Runs, and looks at what holds of every session: each line is framed, numbered, and counted by `bye`. */
static int run_engine(void)
{
    const int code = rts_engine_run(NULL);
    uint32_t lines = 0;
    char wanted[64];
    rts_frame frame;
    for (const char *line = fake.out.text; *line != '\0';) {
        const size_t length = strcspn(line, "\n");
        assert_null(rts_frame_read(line, length, &frame));
        assert_int_equal(frame.sequence, lines);
        lines++;
        line += length + 1;
    }
    if (fake.lines_until_dead == 0) {
        snprintf(wanted, sizeof wanted, "\"records\":\"%u\"}", lines);
        assert_non_null(strstr(frame.payload, wanted));
        assert_memory_equal(frame.payload, "{\"t\":\"bye\"", 10);
    }
    return code;
}

/** Sum of what the `+` and `-` buckets of a series hold. */
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
    assert_true(said("\"ops\":1,\"priority\":40,\"cpu\":3,\"window_ticks\":\"1000\"}"));
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
    assert_true(said("{\"t\":\"bye\",\"items\":4,\"measured\":3,\"skipped\":1,\"status\":\"ok\","));
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
    PLAN("\"measurement\":\"limited\",\"pass\":\"batch\",\"count\":1000,\"sets\":50,\"warmup\":3");
    run_engine();
    assert_true(said("\"ops\":8,\"priority\":30,"));
    assert_true(said("{\"t\":\"batch\",\"item\":0,\"first\":0,\"v\":[800,800,"));
    assert_true(said("\"status\":\"ok\",\"stop\":\"count\",\"count\":\"50\",\"overflow\":\"0\",\"dropped\":\"0\","
                     "\"min\":800,\"max\":800,\"sum\":\"40000\",\"sumsq\":\"32000000\""));
    assert_int_equal(times_said("\"hist\"") + times_said("\"extreme\"") + times_said("\"t\":\"window\""), 0);
    assert_int_equal(fake.operations, 3 + 50 * 8);
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

static void nobody_reads(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"count\":1000000", "\"measurement\":\"both\"");
    fake.lines_until_dead = 16; /* in the midst of begin */
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

static void caches_are_flushed_before_each_operation(void **state)
{
    (void)state;
    PLAN("\"measurement\":\"both\",\"count\":50,\"cache\":\"flushed\"");
    run_engine();
    assert_int_equal(fake.flushes, 66);
    assert_true(said("\"status\":\"ok\""));
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
    assert_true(said("\"resolution_ticks\":5}")); /* all that can be seen of this clock */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_single_pass, fake_reset),
        cmocka_unit_test_setup(two_runs_say_the_same, fake_reset),
        cmocka_unit_test_setup(without_a_plan, fake_reset),
        cmocka_unit_test_setup(a_refused_plan, fake_reset),
        cmocka_unit_test_setup(what_cannot_be_measured_is_skipped, fake_reset),
        cmocka_unit_test_setup(setup_and_load_that_fail, fake_reset),
        cmocka_unit_test_setup(a_load_runs_around_the_measurement, fake_reset),
        cmocka_unit_test_setup(loads_run_together, fake_reset),
        cmocka_unit_test_setup(of_loads_together_one_may_fail, fake_reset),
        cmocka_unit_test_setup(loads_that_do_not_go_together, fake_reset),
        cmocka_unit_test_setup(required_loads_are_tried_first, fake_reset),
        cmocka_unit_test_setup(a_failure_in_mid_run, fake_reset),
        cmocka_unit_test_setup(a_failure_in_the_warm_up, fake_reset),
        cmocka_unit_test_setup(counts_out_of_range_make_it_invalid, fake_reset),
        cmocka_unit_test_setup(lost_or_surplus_samples_make_it_invalid, fake_reset),
        cmocka_unit_test_setup(a_series_that_is_not_there, fake_reset),
        cmocka_unit_test_setup(every_raw_sample_is_sent, fake_reset),
        cmocka_unit_test_setup(a_batch_pass, fake_reset),
        cmocka_unit_test_setup(long_sets_are_cut_and_rest, fake_reset),
        cmocka_unit_test_setup(singles_rest_too, fake_reset),
        cmocka_unit_test_setup(a_budget_ends_it, fake_reset),
        cmocka_unit_test_setup(an_interruption_ends_the_session, fake_reset),
        cmocka_unit_test_setup(a_measurement_that_says_interrupted, fake_reset),
        cmocka_unit_test_setup(nobody_reads, fake_reset),
        cmocka_unit_test_setup(clocks_that_are_no_use, fake_reset),
        cmocka_unit_test_setup(caches_are_flushed_before_each_operation, fake_reset),
        cmocka_unit_test_setup(the_timers_clock, fake_reset),
        cmocka_unit_test_setup(calibration_is_told, fake_reset),
    };
    return cmocka_run_group_tests(tests, NULL, fake_free);
}
