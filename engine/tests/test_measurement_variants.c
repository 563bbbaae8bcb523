/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Measurements under a load, in the time-sharing class, with substituted services, without services, and in odd numbers.
 */
#include "simulation.h"

static void assert_ok(const simulation *sim, int item, int64_t ticks)
{
    const char *end = series_end(sim, item, 0);
    if (!record_is(end, "status", "ok")) {
        fail_msg("not ok: %.200s", end);
    }
    assert_int_equal(record_number(end, "min"), ticks);
    assert_int_equal(record_number(end, "max"), ticks);
}

static int64_t load_fact(const simulation *sim, int item, const char *key)
{
    const char *at = NULL;
    while ((at = record_next(sim, at, "load", item)) != NULL) {
        if (record_is(at, "key", key)) {
            return record_number(at, "value");
        }
    }
    fail_msg("the load does not tell its %s:\n%s", key, sim->stream);
    return 0;
}

/* An odd set of hand-overs ends in the other party, an even one at home: both are timed to their last arrival. */
static void odd_and_even_sets_are_timed_alike(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        int64_t ticks;
    } ways[] = {{"thread-switch", 43 + 41 + 107}, {"process-switch", 43 + 41 + 107 + 307}, {"task-switch", 17 + 107}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        for (int64_t ops = 1; ops <= 12; ops++) {
            simulation sim;
            plan_begin(&sim, 2);
            char keys[80];
            (void)snprintf(keys, sizeof keys, ",\"pass\":\"batch\",\"count\":%" PRId64 ",\"sets\":2", ops);
            plan_item(&sim, ways[i].name, keys);
            (void)snprintf(keys, sizeof keys, ",\"count\":%" PRId64, ops);
            plan_item(&sim, ways[i].name, keys);
            simulation_run(&sim, sim_script_find("steady"));
            assert_ok(&sim, 0, ops * ways[i].ticks + 3);
            assert_ok(&sim, 1, ways[i].ticks + 3);
            assert_int_equal(record_number(series_end(&sim, 1, 0), "count"), ops);
            simulation_free(&sim);
        }
    }
}

/* Programs below everything that is measured change nothing, but get what CPU is left: here, all but the interrupts' answers. */
static void a_load_gets_what_is_left_and_tells_it(void **unused)
{
    (void)unused;
    simulation sim;
    plan_begin(&sim, 2);
    plan_item(&sim, "semaphore-ping", ",\"count\":200,\"load\":\"cpu\",\"intensity\":2");
    plan_item(&sim, "interrupt-response", ",\"count\":50,\"load\":\"cpu\",\"intensity\":3");
    simulation_run(&sim, sim_script_find("steady"));
    assert_ok(&sim, 0, 385);
    assert_int_equal(load_fact(&sim, 0, "programs"), 2);
    assert_int_equal(load_fact(&sim, 1, "programs"), 3);
    const int64_t elapsed = load_fact(&sim, 1, "elapsed_ns");
    const int64_t cpu_time = load_fact(&sim, 1, "cpu_time_ns");
    /* 66 periods of a millisecond; an answer takes about a microsecond. */
    assert_true(elapsed >= 66000000 && elapsed < 67000000);
    assert_true(cpu_time < elapsed && cpu_time > elapsed / 100 * 99);
    /* One reading of the clock a step: 1009 ticks each, plus the steps that were cut off at the end. */
    assert_true(load_fact(&sim, 1, "iterations") * 1009 <= cpu_time);
    assert_true((load_fact(&sim, 1, "iterations") + 3) * 1009 >= cpu_time);
    simulation_free(&sim);
}

static void too_strong_a_load_is_refused(void **unused)
{
    (void)unused;
    simulation sim;
    plan_begin(&sim, 1);
    plan_item(&sim, "semaphore-ping", ",\"load\":\"cpu\",\"intensity\":100000");
    simulation_run(&sim, sim_script_find("steady"));
    assert_true(record_is(record_next(&sim, NULL, "skip", 0), "reason", "invalid"));
    simulation_free(&sim);
}

/* Interrupts below the measured one: all that came is taken, queued and allocated for, and two runs are one. */
static void traffic_is_accounted_for(void **unused)
{
    (void)unused;
    simulation sims[2];
    for (int run = 0; run < 2; run++) {
        simulation *sim = &sims[run];
        plan_begin(sim, 3);
        plan_item(sim, "interrupt-response", ",\"count\":200,\"load\":\"traffic\"");
        plan_item(sim, "semaphore-ping", ",\"count\":2000,\"load\":\"traffic\",\"intensity\":8");
        plan_item(sim, "interrupt-response", ",\"count\":50,\"load\":\"traffic\",\"intensity\":0");
        simulation_run(sim, sim_script_find("steady"));
    }
    const simulation *sim = &sims[0];
    assert_string_equal(sims[0].stream, sims[1].stream);
    for (int item = 0; item < 2; item++) {
        assert_true(record_is(series_end(sim, item, 0), "status", "ok"));
        const int64_t sent = load_fact(sim, item, "bytes_sent");
        assert_true(sent > 0);
        assert_int_equal(load_fact(sim, item, "timer_interrupts"), sent);
        assert_int_equal(load_fact(sim, item, "bytes_received"), sent);
        assert_int_equal(load_fact(sim, item, "timer_events_taken"), sent);
        assert_int_equal(load_fact(sim, item, "bytes_taken"), sent);
        assert_int_equal(load_fact(sim, item, "messages"), 2 * sent);
        assert_int_equal(load_fact(sim, item, "allocations"), 2 * sent);
        assert_int_equal(load_fact(sim, item, "events_lost"), 0);
    }
    /* Half a second at a thousand a second: a uniform draw of half about the mean strays by 6.5 (one sigma). */
    assert_in_range(load_fact(sim, 0, "timer_interrupts"), 474, 526);
    assert_int_equal(load_fact(sim, 2, "timer_interrupts"), 0);
    assert_int_equal(load_fact(sim, 2, "allocations"), 0);
    simulation_free(&sims[0]);
    simulation_free(&sims[1]);
}

/* However short its operations are, what an item is measured under is what was asked for; nothing is left out for it, and a budget holds. */
static void the_same_rate_is_reached_by_short_items(void **unused)
{
    (void)unused;
    static const char *const keys[] = {
        ",\"pass\":\"batch\",\"count\":10,\"sets\":7,\"load\":\"traffic\"",
        ",\"count\":100,\"load\":\"traffic\"",
        ",\"pass\":\"batch\",\"count\":10,\"sets\":7,\"load\":\"traffic\",\"budget_ms\":100",
        ",\"pass\":\"batch\",\"count\":10,\"sets\":7",
        ",\"pass\":\"batch\",\"count\":10,\"sets\":7,\"load\":\"traffic\",\"intensity\":0",
    };
    static const int64_t counts[] = {7, 100, 7, 7, 7};
    static const int64_t least_ns[] = {500000000, 500000000, 100000000, 0, 0};
    simulation sim;
    plan_begin(&sim, 5);
    for (int item = 0; item < 5; item++) {
        plan_item(&sim, "semaphore-get-release", keys[item]);
    }
    simulation_run(&sim, sim_script_find("steady"));
    for (int item = 0; item < 5; item++) {
        const char *const end = series_end(&sim, item, 0);
        assert_true(record_is(end, "status", "ok"));
        assert_true(record_is(end, "stop", "count"));
        assert_int_equal(record_number(end, "count"), counts[item]);
        assert_true(record_number(end, "elapsed") >= least_ns[item]);
        assert_true(record_number(end, "elapsed") < least_ns[item] + 10000000);
    }
    for (int item = 0; item < 2; item++) {
        assert_in_range(load_fact(&sim, item, "timer_interrupts"), 474, 526);
        assert_in_range(load_fact(&sim, item, "timer_interrupts_per_s"), 948, 1052);
    }
    simulation_free(&sim);
}

static void traffic_is_refused_or_skipped(void **unused)
{
    (void)unused;
    simulation sim;
    plan_begin(&sim, 1);
    plan_item(&sim, "semaphore-ping", ",\"load\":\"traffic\",\"intensity\":9");
    simulation_run(&sim, sim_script_find("steady"));
    assert_true(record_is(record_next(&sim, NULL, "skip", 0), "reason", "invalid"));
    simulation_free(&sim);
    plan_begin(&sim, 1);
    plan_item(&sim, "semaphore-ping", ",\"load\":\"traffic\"");
    simulation_run(&sim, sim_script_find("unsupported"));
    const char *skip = record_next(&sim, NULL, "skip", 0);
    assert_true(record_is(skip, "reason", "unsupported"));
    assert_true(record_is(skip, "service", "traffic"));
    simulation_free(&sim);
}

/* In the time-sharing class a program of the load takes its quantum when its turn comes, as SPring-8's Linux column shows. */
static void time_sharing_waits_for_the_load(void **unused)
{
    (void)unused;
    simulation sim;
    plan_begin(&sim, 2);
    plan_item(&sim, "process-switch", ",\"count\":60,\"sched\":\"ts\"");
    plan_item(&sim, "process-switch", ",\"count\":60,\"sched\":\"ts\",\"load\":\"cpu\"");
    simulation_run(&sim, sim_script_find("steady"));
    assert_ok(&sim, 0, 501);
    const char *end = series_end(&sim, 1, 0);
    assert_true(record_is(end, "status", "ok"));
    assert_true(record_number(end, "max") > 1000000);
    simulation_free(&sim);
}

/* Where no thread is more urgent than another, what must be answered at once is not: nothing is measured rather than something else. */
static void without_priorities_there_is_no_preemption(void **unused)
{
    (void)unused;
    simulation sim;
    plan_begin(&sim, (uint32_t)rts_measurement_count);
    for (size_t m = 0; m < rts_measurement_count; m++) {
        plan_item(&sim, rts_measurements[m]->name, ",\"sched\":\"ts\",\"count\":20");
    }
    simulation_run(&sim, sim_script_find("steady"));
    for (size_t m = 0; m < rts_measurement_count; m++) {
        const char *skip = record_next(&sim, NULL, "skip", (int)m);
        if ((rts_measurements[m]->traits & RTS_PRIORITIZED) != 0u) {
            assert_non_null(skip);
            assert_true(record_is(skip, "reason", "unsupported"));
        } else {
            assert_null(skip);
            assert_true(record_is(series_end(&sim, (int)m, 0), "status", "ok"));
        }
    }
    simulation_free(&sim);
}

static void substituted_services_still_ping(void **unused)
{
    (void)unused;
    simulation sim;
    plan_begin(&sim, 2);
    plan_item(&sim, "semaphore-ping", ",\"count\":100");
    plan_item(&sim, "queue-fill-urgent", ",\"count\":96,\"warmup\":0");
    simulation_run(&sim, sim_script_find("substitutes"));
    assert_ok(&sim, 0, 385); /* the same calls, on two semaphores */
    const char *note = record_next(&sim, NULL, "note", 0);
    assert_true(record_is(note, "service", "ping-semaphore"));
    assert_ok(&sim, 1, 71 + 3);
    note = record_next(&sim, NULL, "note", 1);
    assert_true(record_is(note, "service", "queue-urgent"));
    /* A substitute for the head of the queue is not last-in-first-out: the count is reported, but has no limit. */
    const char *order = check_named(&sim, 1, "last-in-first-out");
    assert_int_equal(record_number(order, "low"), 0);
    assert_int_equal(record_number(order, "high"), 96);
    assert_true(record_number(order, "value") < 96);
    assert_int_equal(record_number(check_named(&sim, 1, "messages"), "value"), 96);
    simulation_free(&sim);
}

static void missing_services_are_skips(void **unused)
{
    (void)unused;
    static const struct {
        const char *measurement;
        rts_service service;
    } needs[] = {
        {"task-create-delete", RTS_SERVICE_THREADS},
        {"task-ping-suspend-resume", RTS_SERVICE_THREAD_SUSPEND_SELF},
        {"task-suspend-resume", RTS_SERVICE_THREAD_SUSPEND},
        {"process-ping-suspend-resume", RTS_SERVICE_PROCESS_SUSPEND},
        {"process-suspend-resume", RTS_SERVICE_PROCESSES},
        {"semaphore-ping", RTS_SERVICE_PING_SEMAPHORE},
        {"semaphore-get-release", RTS_SERVICE_SEMAPHORE},
        {"queue-fill", RTS_SERVICE_QUEUE},
        {"queue-fill-urgent", RTS_SERVICE_QUEUE_URGENT},
        {"block-free", RTS_SERVICE_BLOCKS},
        {"interrupt-response", RTS_SERVICE_TIMER},
        {"task-switch", RTS_SERVICE_YIELD},
        {"deadlock-break", RTS_SERVICE_MUTEX_INHERIT},
        {"process-switch", RTS_SERVICE_PROCESSES},
    };
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        for (int denied = 0; denied < 2; denied++) {
            sim_script script = *sim_script_find("steady");
            script.unsupported = denied ? 0 : 1u << needs[i].service;
            script.denied = denied ? 1u << needs[i].service : 0;
            simulation sim;
            plan_begin(&sim, 1);
            plan_item(&sim, needs[i].measurement, "");
            simulation_run(&sim, &script);
            const char *skip = record_next(&sim, NULL, "skip", 0);
            assert_non_null(skip);
            assert_true(record_is(skip, "reason", denied ? "denied" : "unsupported"));
            assert_null(record_next(&sim, NULL, "end", 0));
            simulation_free(&sim);
        }
    }
}

/* A kernel that cannot count switches is not held to have made none. */
static void without_switch_counts_the_counters_suffice(void **unused)
{
    (void)unused;
    simulation sim;
    plan_begin(&sim, 1);
    plan_item(&sim, "semaphore-ping", "");
    simulation_run(&sim, sim_script_find("unsupported"));
    assert_true(record_is(series_end(&sim, 0, 0), "status", "ok"));
    const char *at = NULL;
    while ((at = record_next(&sim, at, "check", 0)) != NULL) {
        assert_false(record_is(at, "name", "voluntary-switches"));
    }
    simulation_free(&sim);
}

static void an_operation_may_cost_nothing(void **unused)
{
    (void)unused;
    simulation sim;
    plan_begin(&sim, (uint32_t)rts_measurement_count);
    for (size_t m = 0; m < rts_measurement_count; m++) {
        plan_item(&sim, rts_measurements[m]->name, "");
    }
    simulation_run(&sim, sim_script_find("free"));
    for (int m = 0; m < (int)rts_measurement_count; m++) {
        assert_true(record_is(series_end(&sim, m, 0), "status", "ok"));
        assert_in_range(record_number(series_end(&sim, m, 0), "max"), 0, 1);
    }
    simulation_free(&sim);
}

static void names_are_unique_and_found(void **unused)
{
    (void)unused;
    for (size_t m = 0; m < rts_measurement_count; m++) {
        assert_ptr_equal(rts_measurement_find(rts_measurements[m]->name, NULL), rts_measurements[m]);
        assert_true(strlen(rts_measurements[m]->name) < 32);
    }
    assert_null(rts_measurement_find("semaphore", NULL));
    assert_null(rts_measurement_find("", NULL));
    for (size_t l = 0; l < rts_load_count; l++) {
        assert_ptr_equal(rts_load_find(rts_loads[l]->name), rts_loads[l]);
    }
    assert_null(rts_load_find("network"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_and_even_sets_are_timed_alike),
        cmocka_unit_test(a_load_gets_what_is_left_and_tells_it),
        cmocka_unit_test(too_strong_a_load_is_refused),
        cmocka_unit_test(traffic_is_accounted_for),
        cmocka_unit_test(the_same_rate_is_reached_by_short_items),
        cmocka_unit_test(traffic_is_refused_or_skipped),
        cmocka_unit_test(time_sharing_waits_for_the_load),
        cmocka_unit_test(without_priorities_there_is_no_preemption),
        cmocka_unit_test(substituted_services_still_ping),
        cmocka_unit_test(missing_services_are_skips),
        cmocka_unit_test(without_switch_counts_the_counters_suffice),
        cmocka_unit_test(an_operation_may_cost_nothing),
        cmocka_unit_test(names_are_unique_and_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
