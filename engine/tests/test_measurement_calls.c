/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each service is called exactly as often as spec/measurements.md says, by each party, measured or not.
 */
#include "simulation.h"

/* Operations that are done in all: those that warm up and those that count. */
#define WARMUP 9
#define COUNT 40
#define OPERATIONS (WARMUP + COUNT)

/** How often a thread makes a call: `each` for every operation, `slice` for every slice, `once` for the item. */
typedef struct calls {
    const char *measurement;
    const char *thread;
    sim_call call;
    int each;
    int slice;
    int once;
} calls;

/*
 * Every worker takes its start once a slice and once more to end, and gives its done once a slice. A ping has two rounds that are not
 * measured in each slice, and party B one more wait, from which it is woken to end.
 */
static const calls expected[] = {
#define CALLS(measurement, thread, call, each, slice, once) {measurement, thread, SIM_##call, each, slice, once},
#include "expected.def"
};

/*
 * Here an operation is one hand-over and `each` is for every round, of which there is one for two operations. The engine's first slice is one
 * operation long, so that one way back is not timed.
 */
static const calls expected_of_rounds[] = {
#define ROUND_CALLS(measurement, thread, call, each, slice, once) {measurement, thread, SIM_##call, each, slice, once},
#include "expected.def"
};

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

typedef struct teardown {
    const char *measurement;
    int gives;
} teardown;

static const teardown teardowns[] = {
#define TEARDOWN_GIVES(...) {__VA_ARGS__},
#include "expected.def"
};

/* How often the engine's thread gives a semaphore to end what setup made: once for the worker, and once for each other thread that waits at one. */
static int64_t gives_of_teardown(const char *measurement)
{
    for (size_t i = 0; i < ROWS(teardowns); i++) {
        if (strcmp(measurement, teardowns[i].measurement) == 0) {
            return teardowns[i].gives;
        }
    }
    return 1;
}

static void assert_calls(const calls *row, int64_t operations)
{
    const int64_t slices = (int64_t)sim_calls("engine", SIM_GIVE) - gives_of_teardown(row->measurement);
    assert_true(slices > 1);
    const int64_t wanted = row->each * operations + row->slice * slices + row->once;
    const int64_t made = (int64_t)sim_calls(row->thread, row->call);
    if (made != wanted) {
        fail_msg("%s: %s made call %d %" PRId64 " times, not %" PRId64 " (%" PRId64 " slices)", row->measurement,
                 row->thread, (int)row->call, made, wanted, slices);
    }
}

static void run(simulation *sim, const char *measurement)
{
    plan_begin(sim, 1);
    plan_item(sim, measurement, ",\"count\":40,\"warmup\":9");
    simulation_run(sim, sim_script_find("steady"));
    assert_true(record_is(series_end(sim, 0, 0), "status", "ok"));
}

static void services_are_called_as_often_as_operations_are_done(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ROWS(expected); i++) {
        simulation sim;
        run(&sim, expected[i].measurement);
        assert_calls(&expected[i], OPERATIONS);
        simulation_free(&sim);
    }
}

static void hand_overs_are_done_two_a_round(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < ROWS(expected_of_rounds); i++) {
        simulation sim;
        run(&sim, expected_of_rounds[i].measurement);
        const int64_t rounds = record_number(check_named(&sim, 0, "switches"), "value") / 2;
        assert_int_equal(rounds, (OPERATIONS + 1) / 2);
        assert_calls(&expected_of_rounds[i], rounds);
        simulation_free(&sim);
    }
}

static void every_measurement_is_counted_here(void **unused)
{
    (void)unused;
    for (size_t m = 0; m < rts_measurement_count; m++) {
        bool found = false;
        for (size_t i = 0; i < ROWS(expected); i++) {
            found = found || strcmp(expected[i].measurement, rts_measurements[m]->name) == 0;
        }
        for (size_t i = 0; i < ROWS(expected_of_rounds); i++) {
            found = found || strcmp(expected_of_rounds[i].measurement, rts_measurements[m]->name) == 0;
        }
        if (!found) {
            fail_msg("the calls of %s are not counted", rts_measurements[m]->name);
        }
    }
}

/* What a measurement makes it takes down: a plan that repeats it hundreds of times must not use up threads. */
static void nothing_is_left_behind(void **unused)
{
    (void)unused;
    for (size_t m = 0; m < rts_measurement_count; m++) {
        simulation sim;
        plan_begin(&sim, 60);
        for (int i = 0; i < 60; i++) {
            plan_item(&sim, rts_measurements[m]->name, ",\"count\":2,\"warmup\":1,\"load\":\"cpu\"");
        }
        simulation_run(&sim, sim_script_find("steady"));
        assert_int_equal(sim.outcome.exit_code, 0);
        for (int i = 0; i < 60; i++) {
            assert_true(record_is(series_end(&sim, i, 0), "status", "ok"));
        }
        simulation_free(&sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(services_are_called_as_often_as_operations_are_done),
        cmocka_unit_test(hand_overs_are_done_two_a_round),
        cmocka_unit_test(every_measurement_is_counted_here),
        cmocka_unit_test(nothing_is_left_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
