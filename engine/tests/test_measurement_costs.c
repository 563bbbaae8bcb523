/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each measurement measures exactly what spec/measurements.md says: its ticks follow from the costs of the services by hand.
 */
#include "simulation.h"

/* The costs of script "steady", by short names; a clock reading falls into every window once. */
enum {
    CLOCK = 3,
    CREATE = 211,
    EXIT = 53,
    YIELD = 17,
    SUSPEND = 29,
    RESUME = 31,
    SUSPEND_SELF = 37,
    TAKE = 41,
    GIVE = 43,
    GIVE_ISR = 47,
    LOCK = 59,
    UNLOCK = 61,
    SEND = 67,
    SEND_URGENT = 71,
    RECEIVE = 73,
    ALLOC = 79,
    FREE_BLOCK = 83,
    SWITCH = 107,
    PROCESS = 307, /* beside SWITCH */
    LATE = 500     /* of every interrupt */
};

#define SAMPLES 57 /* odd, and no multiple of a queue's depth or a partition's blocks */
#define SETS 3

/** What one operation costs, without the clock reading; limit: most operations of one window, 0: none. */
typedef struct expectation {
    const char *name;
    int64_t ticks;
    unsigned passes;
    int64_t limit;
} expectation;

#define BOTH (RTS_PASS_BATCH | RTS_PASS_SINGLE)

static const expectation expectations[] = {
#define COSTS(...) {__VA_ARGS__},
#include "expected.def"
};

#define EXPECTATIONS (sizeof expectations / sizeof expectations[0])

static void assert_item_ok(const simulation *sim, int item, const char *name)
{
    const char *end = series_end(sim, item, 0);
    if (!record_is(end, "status", "ok") || !record_is(end, "stop", "count")) {
        fail_msg("%s is not ok: %.200s\n%s", name, end, sim->stream);
    }
}

static void single_operations_cost_what_they_must(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < EXPECTATIONS; i++) {
        simulation sim;
        plan_begin(&sim, 1);
        plan_item(&sim, expectations[i].name, ",\"count\":57,\"raw\":1");
        simulation_run(&sim, sim_script_find("steady"));
        assert_int_equal(sim.outcome.exit_code, 0);
        assert_item_ok(&sim, 0, expectations[i].name);
        int64_t expected[SAMPLES];
        for (size_t s = 0; s < SAMPLES; s++) {
            expected[s] = expectations[i].ticks + CLOCK;
        }
        assert_series(&sim, 0, 0, expected, SAMPLES);
        simulation_free(&sim);
    }
}

static void batches_cost_what_they_must(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < EXPECTATIONS; i++) {
        if ((expectations[i].passes & RTS_PASS_BATCH) == 0) {
            continue;
        }
        simulation sim;
        plan_begin(&sim, 1);
        plan_item(&sim, expectations[i].name, ",\"pass\":\"batch\",\"count\":57,\"sets\":3");
        simulation_run(&sim, sim_script_find("steady"));
        assert_item_ok(&sim, 0, expectations[i].name);
        const int64_t limit = expectations[i].limit;
        const int64_t readings = limit == 0 ? 1 : SAMPLES / limit + 1; /* SAMPLES is no multiple of any */
        const int64_t expected = SAMPLES * expectations[i].ticks + readings * CLOCK;
        assert_int_equal(record_number(begin_with(&sim, 0, "ops"), "ops"), SAMPLES);
        assert_int_equal(record_number(begin_with(&sim, 0, "readings"), "readings"), readings);
        int64_t totals[SETS + 1];
        assert_int_equal(raw_values(&sim, "batch", 0, -1, totals, SETS + 1), SETS);
        for (size_t set = 0; set < SETS; set++) {
            if (totals[set] != expected) {
                fail_msg("%s: set %zu took %" PRId64 ", not %" PRId64, expectations[i].name, set, totals[set],
                         expected);
            }
        }
        simulation_free(&sim);
    }
}

static void every_measurement_is_expected_here(void **unused)
{
    (void)unused;
    for (size_t m = 0; m < rts_measurement_count; m++) {
        const rts_measurement *measurement = rts_measurements[m];
        assert_int_not_equal(measurement->meaning, 0);
        bool found = strncmp(measurement->name, "interrupt-", 10) == 0; /* test_measurement_interrupt.c and _stages.c */
        for (size_t i = 0; i < EXPECTATIONS; i++) {
            if (strcmp(measurement->name, expectations[i].name) == 0) {
                found = true;
                assert_int_equal(measurement->passes, expectations[i].passes);
                assert_int_equal(measurement->batch_limit, expectations[i].limit);
                assert_string_equal(measurement->series[0], measurement->name);
            }
        }
        if (!found) {
            fail_msg("nothing is expected of %s", measurement->name);
        }
    }
}

static void a_pass_that_a_measurement_lacks_is_skipped(void **unused)
{
    (void)unused;
    simulation sim;
    plan_begin(&sim, 1);
    plan_item(&sim, "deadlock-break", ",\"pass\":\"batch\"");
    simulation_run(&sim, sim_script_find("steady"));
    assert_non_null(record_next(&sim, NULL, "skip", 0));
    simulation_free(&sim);
}

/* Costs that change from call to call: each sample must hold the change that fell into its own window. */
static void a_dear_call_is_in_its_own_sample(void **unused)
{
    (void)unused;
    sim_script script = *sim_script_find("steady");
    script.tail_call = SIM_ALLOC;
    script.tail_every = 10;
    script.tail_cost = 100000;
    simulation sim;
    plan_begin(&sim, 1);
    plan_item(&sim, "block-allocate", ",\"count\":57,\"raw\":1,\"warmup\":0");
    simulation_run(&sim, &script);
    int64_t expected[SAMPLES];
    for (size_t s = 0; s < SAMPLES; s++) {
        expected[s] = ALLOC + CLOCK + ((s + 1) % 10 == 0 ? 100000 : 0);
    }
    assert_series(&sim, 0, 0, expected, SAMPLES);
    /* The largest of all, in order of size, each with its number. */
    const char *extreme = record_next(&sim, NULL, "extreme", 0);
    for (int found = 0; found < 5; found++) {
        assert_non_null(extreme);
        assert_int_equal(record_number(extreme, "value"), ALLOC + CLOCK + 100000);
        assert_int_equal((record_number(extreme, "index") + 1) % 10, 0);
        extreme = record_next(&sim, extreme, "extreme", 0);
    }
    simulation_free(&sim);
}

/* A cache flush comes before each operation and never into a window. */
static void flushes_stay_outside_of_windows(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < EXPECTATIONS; i++) {
        simulation sim;
        plan_begin(&sim, 1);
        plan_item(&sim, expectations[i].name, ",\"count\":20,\"warmup\":0,\"cache\":\"flushed\"");
        simulation_run(&sim, sim_script_find("steady"));
        assert_item_ok(&sim, 0, expectations[i].name);
        assert_int_equal(record_number(series_end(&sim, 0, 0), "min"), expectations[i].ticks + CLOCK);
        assert_int_equal(record_number(series_end(&sim, 0, 0), "max"), expectations[i].ticks + CLOCK);
        assert_int_equal(sim_calls(NULL, SIM_CACHE_FLUSH), 20);
        simulation_free(&sim);
    }
}

static void two_runs_are_the_same_to_the_byte(void **unused)
{
    (void)unused;
    simulation sim[2];
    for (int run = 0; run < 2; run++) {
        plan_begin(&sim[run], (uint32_t)rts_measurement_count);
        for (size_t m = 0; m < rts_measurement_count; m++) {
            plan_item(&sim[run], rts_measurements[m]->name, ",\"count\":70,\"load\":\"cpu\"");
        }
        simulation_run(&sim[run], sim_script_find("tails"));
        assert_int_equal(sim[run].outcome.exit_code, 0);
    }
    assert_string_equal(sim[0].stream, sim[1].stream);
    simulation_free(&sim[0]);
    simulation_free(&sim[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_operations_cost_what_they_must),
        cmocka_unit_test(batches_cost_what_they_must),
        cmocka_unit_test(every_measurement_is_expected_here),
        cmocka_unit_test(a_pass_that_a_measurement_lacks_is_skipped),
        cmocka_unit_test(a_dear_call_is_in_its_own_sample),
        cmocka_unit_test(flushes_stay_outside_of_windows),
        cmocka_unit_test(two_runs_are_the_same_to_the_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
