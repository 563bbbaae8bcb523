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
    {"task-create-delete", "worker", SIM_THREAD_CREATE, 1, 0, 0},
    {"task-create-delete", "worker", SIM_THREAD_JOIN, 1, 0, 0},
    {"task-create-delete", "child", SIM_THREAD_EXIT, 1, 0, 0},
    {"task-create-delete", "worker", SIM_CLOCK_READ, 2, 0, 0},
    {"task-ping-suspend-resume", "worker", SIM_RESUME, 1, 2, 0},
    {"task-ping-suspend-resume", "partner", SIM_SUSPEND_SELF, 1, 2, 1},
    {"task-ping-suspend-resume", "worker", SIM_CLOCK_READ, 2, 0, 0},
    {"task-ping-suspend-resume", "partner", SIM_CLOCK_READ, 0, 0, 0},
    {"process-ping-suspend-resume", "worker", SIM_RESUME, 1, 2, 0},
    {"process-ping-suspend-resume", "partner", SIM_SUSPEND_SELF, 1, 2, 1},
    /* outside: resumed before and suspended after each slice; then proved by one more resume */
    {"task-suspend-resume", "worker", SIM_SUSPEND, 1, 1, 0},
    {"task-suspend-resume", "worker", SIM_RESUME, 1, 1, 0},
    {"task-suspend-resume", "engine", SIM_RESUME, 0, 1, 1},
    {"task-suspend-resume", "victim", SIM_SUSPEND_SELF, 0, 1, 1},
    {"process-suspend-resume", "worker", SIM_SUSPEND, 1, 1, 0},
    {"process-suspend-resume", "worker", SIM_RESUME, 1, 1, 0},
    {"semaphore-ping", "worker", SIM_TAKE, 1, 3, 1},
    {"semaphore-ping", "worker", SIM_GIVE, 1, 3, 0},
    {"semaphore-ping", "partner", SIM_TAKE, 1, 2, 1},
    {"semaphore-ping", "partner", SIM_GIVE, 1, 2, 0},
    {"semaphore-ping", "worker", SIM_CLOCK_READ, 2, 0, 0},
    {"semaphore-ping", "partner", SIM_CLOCK_READ, 0, 0, 0},
    {"semaphore-get-release", "worker", SIM_TAKE, 1, 1, 1},
    {"semaphore-get-release", "worker", SIM_GIVE, 1, 1, 0},
    {"queue-fill", "worker", SIM_SEND, 1, 0, 0},
    {"queue-fill", "worker", SIM_RECEIVE, 1, 0, 0},
    {"queue-fill", "worker", SIM_CLOCK_READ, 2, 0, 0},
    {"queue-drain", "worker", SIM_SEND, 1, 0, 0},
    {"queue-drain", "worker", SIM_RECEIVE, 1, 0, 0},
    {"queue-drain", "worker", SIM_CLOCK_READ, 2, 0, 0},
    {"queue-fill-urgent", "worker", SIM_SEND_URGENT, 1, 0, 0},
    {"queue-fill-urgent", "worker", SIM_RECEIVE, 1, 0, 0},
    {"queue-fill-urgent", "worker", SIM_SEND, 0, 0, 0},
    /* in setup: an urgent message must overtake an ordinary one */
    {"queue-fill-urgent", "engine", SIM_SEND, 0, 0, 1},
    {"queue-fill-urgent", "engine", SIM_SEND_URGENT, 0, 0, 1},
    {"queue-fill-urgent", "engine", SIM_RECEIVE, 0, 0, 2},
    {"queue-fill-drain", "worker", SIM_SEND, 1, 0, 0},
    {"queue-fill-drain", "worker", SIM_RECEIVE, 1, 0, 0},
    {"queue-alternate", "worker", SIM_SEND, 1, 2, 0},
    {"queue-alternate", "worker", SIM_RECEIVE, 1, 2, 0},
    {"queue-alternate", "partner", SIM_SEND, 1, 2, 0},
    {"queue-alternate", "partner", SIM_RECEIVE, 1, 2, 1},
    {"block-allocate", "worker", SIM_ALLOC, 1, 0, 0},
    {"block-allocate", "worker", SIM_FREE, 1, 0, 0},
    {"block-free", "worker", SIM_ALLOC, 1, 0, 0},
    {"block-free", "worker", SIM_FREE, 1, 0, 0},
    /* The bottom half is released once more, to end; no clock is read by it where the total is measured. */
    {"interrupt-stages", "isr", SIM_GIVE_ISR, 1, 0, 0},
    {"interrupt-stages", "isr", SIM_CLOCK_READ, 0, 0, 0},
    {"interrupt-stages", "bottom", SIM_TAKE, 1, 0, 1},
    {"interrupt-stages", "bottom", SIM_CLOCK_READ, 2, 0, 1},
    {"interrupt-stages", "bottom", SIM_GIVE, 1, 0, 0},
    {"interrupt-stages", "worker", SIM_TAKE, 1, 1, 1},
    {"interrupt-stages", "worker", SIM_CLOCK_READ, 1, 0, 0},
    {"interrupt-total", "isr", SIM_GIVE_ISR, 1, 0, 0},
    {"interrupt-total", "isr", SIM_CLOCK_READ, 0, 0, 0},
    {"interrupt-total", "bottom", SIM_CLOCK_READ, 0, 0, 0},
    {"interrupt-total", "bottom", SIM_GIVE, 1, 0, 0},
    {"interrupt-total", "worker", SIM_CLOCK_READ, 1, 0, 0},
    {"interrupt-response", "isr", SIM_GIVE_ISR, 1, 0, 0},
    {"interrupt-response", "isr", SIM_CLOCK_READ, 1, 0, 0},
    {"interrupt-response", "worker", SIM_TAKE, 1, 1, 1},
    {"interrupt-response", "worker", SIM_CLOCK_READ, 1, 0, 0},
    {"task-preemption", "worker", SIM_GIVE, 1, 3, 0},
    {"task-preemption", "partner", SIM_TAKE, 1, 2, 1},
    {"task-preemption", "partner", SIM_CLOCK_READ, 1, 0, 0},
    {"semaphore-shuffle", "worker", SIM_TAKE, 1, 1, 1},
    {"semaphore-shuffle", "worker", SIM_GIVE, 2, 1, 0},
    {"semaphore-shuffle", "asker", SIM_TAKE, 2, 0, 1},
    {"semaphore-shuffle", "asker", SIM_GIVE, 1, 0, 0},
    {"semaphore-shuffle", "asker", SIM_CLOCK_READ, 2, 0, 0},
    {"deadlock-break", "worker", SIM_LOCK, 1, 0, 0},
    {"deadlock-break", "worker", SIM_UNLOCK, 1, 0, 0},
    {"deadlock-break", "asker", SIM_LOCK, 1, 0, 0},
    {"deadlock-break", "asker", SIM_UNLOCK, 1, 0, 0},
    {"deadlock-break", "asker", SIM_GIVE, 1, 0, 0},
    {"deadlock-break", "third", SIM_TAKE, 1, 0, 1},
    {"message-latency", "worker", SIM_SEND, 1, 2, 0},
    {"message-latency", "partner", SIM_RECEIVE, 1, 2, 1},
};

/*
 * Here an operation is one hand-over and `each` is for every round, of which there is one for two operations. The engine's first slice is one
 * operation long, so that one way back is not timed.
 */
static const calls expected_of_rounds[] = {
    {"task-switch", "worker", SIM_YIELD, 1, 2, 0},          {"task-switch", "partner", SIM_YIELD, 1, 1, 0},
    {"task-switch", "partner", SIM_TAKE, 0, 1, 1},          {"process-switch", "worker", SIM_GIVE, 1, 3, 0},
    {"process-switch", "worker", SIM_TAKE, 1, 3, 1},        {"process-switch", "partner", SIM_GIVE, 1, 2, 0},
    {"process-switch", "partner", SIM_TAKE, 1, 2, 1},       {"thread-switch", "worker", SIM_GIVE, 1, 3, 0},
    {"thread-switch", "worker", SIM_TAKE, 1, 3, 1},         {"thread-switch", "partner", SIM_GIVE, 1, 2, 0},
    {"thread-switch", "partner", SIM_TAKE, 1, 2, 1},        {"thread-switch", "worker", SIM_CLOCK_READ, 2, 0, 0},
    {"thread-switch", "partner", SIM_CLOCK_READ, 2, 0, -1},
};

#define ROWS(table) (sizeof(table) / sizeof((table)[0]))

/* How often the engine's thread gives a semaphore to end what setup made: the worker, and whoever else waits at one. */
static int64_t gives_of_teardown(const char *measurement)
{
    static const char *const one_more[] = {"semaphore-ping", "task-preemption", "semaphore-shuffle", "task-switch",
                                           "process-switch", "thread-switch",   "interrupt-stages",  "interrupt-total"};
    for (size_t i = 0; i < ROWS(one_more); i++) {
        if (strcmp(measurement, one_more[i]) == 0) {
            return 2;
        }
    }
    return strcmp(measurement, "deadlock-break") == 0 ? 3 : 1;
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
