/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The measured interrupt by way of a bottom half: each stage is what its services cost, the total is their sum less what stamping
 * costs, and a release that is lost is found out.
 */
#include "simulation.h"

/* Costs of script "steady". */
enum { CLOCK = 3, TAKE = 41, GIVE = 43, GIVE_ISR = 47, SWITCH = 107, LATE = 500 };

#define SAMPLES 57

static const int64_t late[] = {LATE};

static sim_script steadily_late(void)
{
    sim_script script = *sim_script_find("steady");
    script.latencies = late;
    script.latency_count = 1;
    return script;
}

static void run_one(simulation *sim, const sim_script *script, const char *name, const char *more)
{
    char keys[120];
    (void)snprintf(keys, sizeof keys, ",\"count\":57,\"raw\":1,\"period_ns\":1000000%s", more);
    plan_begin(sim, 1);
    plan_item(sim, name, keys);
    simulation_run(sim, script);
    assert_int_equal(sim->outcome.exit_code, 0);
}

static void assert_always(const simulation *sim, int series, int64_t ticks)
{
    int64_t expected[SAMPLES];
    for (size_t s = 0; s < SAMPLES; s++) {
        expected[s] = ticks;
    }
    assert_true(record_is(series_end(sim, 0, series), "status", "ok"));
    assert_series(sim, 0, series, expected, SAMPLES);
}

static void stages_cost_what_they_must(void **unused)
{
    (void)unused;
    const sim_script script = steadily_late();
    simulation sim;
    run_one(&sim, &script, "interrupt-top-half", "");
    assert_always(&sim, 0, LATE);
    simulation_free(&sim);

    run_one(&sim, &script, "interrupt-bottom-half", "");
    /* The handler releases the bottom half, which is switched to and reads the clock. */
    assert_always(&sim, 0, GIVE_ISR + SWITCH + CLOCK);
    /* It releases the task and waits for the next; the task, less urgent, is switched to then. */
    assert_always(&sim, 1, GIVE + TAKE + SWITCH + CLOCK);
    simulation_free(&sim);
}

static void the_total_holds_no_stamp_but_the_last(void **unused)
{
    (void)unused;
    const sim_script script = steadily_late();
    simulation sim;
    run_one(&sim, &script, "interrupt-total", "");
    assert_always(&sim, 0, LATE + GIVE_ISR + SWITCH + GIVE + TAKE + SWITCH + CLOCK);
    simulation_free(&sim);
}

static void without_threads_the_handler_releases_the_loop(void **unused)
{
    (void)unused;
    sim_script script = steadily_late();
    script.unsupported |= 1u << RTS_SERVICE_THREADS;
    simulation sim;
    run_one(&sim, &script, "interrupt-bottom-half", "");
    const char *skip = record_next(&sim, NULL, "skip", 0);
    assert_non_null(skip);
    assert_true(record_is(skip, "reason", "unsupported"));
    assert_true(record_is(skip, "service", "threads"));
    simulation_free(&sim);
}

/* The name of a kernel's own bottom half, where the handler is the engine's: said, with what mends it, and nothing measured. */
static void sources_of_a_kernel_are_not_made_up(void **unused)
{
    (void)unused;
    static const char *const sources[] = {"tasklet", "workqueue", "software", "probe"};
    static const char *const names[] = {"interrupt-top-half", "interrupt-bottom-half", "interrupt-total"};
    const sim_script script = steadily_late();
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++) {
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
            char more[40];
            (void)snprintf(more, sizeof more, ",\"timer\":\"%s\"", sources[i]);
            simulation sim;
            run_one(&sim, &script, names[n], more);
            const char *skip = record_next(&sim, NULL, "skip", 0);
            assert_non_null(skip);
            assert_true(record_is(skip, "reason", "unsupported"));
            assert_non_null(strstr(skip, "probe/"));
            simulation_free(&sim);
        }
    }
}

static void a_lost_release_is_found_out(void **unused)
{
    (void)unused;
    static const sim_call calls[] = {SIM_GIVE_ISR, SIM_GIVE};
    static const char *const threads[] = {"isr", "bottom"};
    for (size_t i = 0; i < 2; i++) {
        sim_script script = steadily_late();
        script.faults[0] = (sim_fault){SIM_FAULT_LOST, calls[i], threads[i], 9, 0};
        simulation sim;
        plan_begin(&sim, 1);
        plan_item(&sim, "interrupt-total", ",\"count\":57,\"period_ns\":1000000");
        simulation_run(&sim, &script);
        assert_true(record_is(series_end(&sim, 0, 0), "status", "failed"));
        simulation_free(&sim);
    }
}

/* Periods that pass while the handler is late come right after it: each is a sample with its own assertion. */
static void missed_periods_are_samples(void **unused)
{
    (void)unused;
    static const char *const names[] = {"interrupt-top-half", "interrupt-bottom-half", "interrupt-total"};
    for (size_t i = 0; i < 3; i++) {
        simulation sim;
        run_one(&sim, sim_script_find("overrun"), names[i], "");
        const char *end = series_end(&sim, 0, 0);
        assert_true(record_is(end, "status", "ok"));
        assert_true(record_is(end, "count", "57"));
        simulation_free(&sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_cost_what_they_must),
        cmocka_unit_test(the_total_holds_no_stamp_but_the_last),
        cmocka_unit_test(without_threads_the_handler_releases_the_loop),
        cmocka_unit_test(sources_of_a_kernel_are_not_made_up),
        cmocka_unit_test(a_lost_release_is_found_out),
        cmocka_unit_test(missed_periods_are_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
