/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The measured interrupt by way of a bottom half: each stage is what its services cost, the total is their sum less what stamping
 * costs, and a release that is lost is found out.
 */
#include "../measurements/common/chain.h"
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
    run_one(&sim, &script, "interrupt-stages", "");
    assert_always(&sim, 0, LATE);
    /* The handler releases the bottom half, which is switched to and reads the clock. */
    assert_always(&sim, 1, GIVE_ISR + SWITCH + CLOCK);
    /* It releases the task and waits for the next; the task, less urgent, is switched to then. */
    assert_always(&sim, 2, GIVE + TAKE + SWITCH + CLOCK);
    /* The bottom half's second reading is in no stage. */
    assert_always(&sim, 3, LATE + GIVE_ISR + SWITCH + CLOCK + CLOCK + GIVE + TAKE + SWITCH + CLOCK);
    assert_always(&sim, 4, CLOCK);
    simulation_free(&sim);
}

enum { MANY = 200 };

/** The raw samples of a series, in order. */
static size_t raw_of(const simulation *sim, int64_t series, int64_t *into)
{
    size_t count = 0;
    for (const char *at = record_next(sim, NULL, "samples", 0); at != NULL; at = record_next(sim, at, "samples", 0)) {
        if (record_number(at, "series") != series) {
            continue;
        }
        for (const char *entry = record_value(at, "v"); *entry != ']'; entry += strcspn(entry + 1, ",]") + 1) {
            assert_true(count < MANY);
            into[count++] = strtoll(entry + 1, NULL, 10);
        }
    }
    return count;
}

/* Late, early, missed and long interrupts: of every single one the stages and the residual are its total, to the tick. */
static void the_stages_of_each_interrupt_are_its_total(void **unused)
{
    (void)unused;
    static const char *const scripts[] = {"steady", "negative", "overrun", "tails", "overflow"};
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++) {
        static int64_t raw[5][MANY];
        simulation sim;
        plan_begin(&sim, 1);
        plan_item(&sim, "interrupt-stages",
                  i == 4 ? ",\"count\":9,\"raw\":1,\"period_ns\":2000000000"
                         : ",\"count\":150,\"raw\":1,\"period_ns\":1000000");
        simulation_run(&sim, sim_script_find(scripts[i]));
        assert_true(record_is(series_end(&sim, 0, 3), "status", "ok"));
        size_t count = 0;
        bool differs = false;
        for (int64_t s = 0; s < 5; s++) {
            count = raw_of(&sim, s, raw[s]);
            assert_int_equal(count, i == 4 ? 9 : 150);
        }
        for (size_t n = 0; n < count; n++) {
            assert_int_equal(raw[0][n] + raw[1][n] + raw[2][n] + raw[4][n], raw[3][n]);
            differs = differs || raw[3][n] != raw[3][0];
        }
        assert_true(differs || i == 0);
        simulation_free(&sim);
    }
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

/* If a thread stands in for the handler, no series has a handler's name. */
static void the_wake_up_of_a_thread_is_called_that(void **unused)
{
    (void)unused;
    static const char *const measurements[] = {"interrupt-response", "interrupt-stages"};
    static const char *const places[] = {RTS_ENTERED_HANDLER, RTS_ENTERED_VECTOR, RTS_ENTERED_THREAD};
    for (size_t m = 0; m < 2; m++) {
        for (size_t p = 0; p < 3; p++) {
            sim_script script = steadily_late();
            script.entered = places[p];
            simulation sim;
            run_one(&sim, &script, measurements[m], "");
            assert_true(record_is(begin_with(&sim, 0, "entered"), "entered", places[p]));
            const char *const first = record_next(&sim, NULL, "series", 0);
            assert_true(record_is(first, "name", p == 2 ? "thread-wake-up" : "interrupt-service-response"));
            assert_int_equal(strstr(sim.stream, "interrupt-service-response") == NULL, p == 2);
            assert_int_equal(strstr(sim.stream, "top-to-bottom-half") == NULL, p == 2 || m == 0);
            simulation_free(&sim);
        }
    }
    simulation sim;
    plan_begin(&sim, 1);
    plan_item(&sim, "semaphore-ping", ",\"count\":10");
    simulation_run(&sim, sim_script_find("steady"));
    assert_null(record_value(record_next(&sim, NULL, "begin", 0), "entered"));
    simulation_free(&sim);
}

/* No bottom half, and no series of one: not a column of zeros. */
static void without_threads_the_handler_releases_the_loop(void **unused)
{
    (void)unused;
    sim_script script = steadily_late();
    script.unsupported |= 1u << RTS_SERVICE_THREADS;
    simulation sim;
    run_one(&sim, &script, "interrupt-stages", "");
    bool told[5] = {false};
    for (const char *at = record_next(&sim, NULL, "series", 0); at != NULL; at = record_next(&sim, at, "series", 0)) {
        told[record_number(at, "index")] = true;
        assert_false(record_is(at, "name", "top-to-bottom-half"));
    }
    for (int s = 0; s < 5; s++) {
        assert_int_equal(told[s], s != 1);
    }
    const int64_t stages = record_number(series_end(&sim, 0, 0), "sum") + record_number(series_end(&sim, 0, 2), "sum") +
                           record_number(series_end(&sim, 0, 4), "sum");
    assert_int_equal(stages, record_number(series_end(&sim, 0, 3), "sum"));
    simulation_free(&sim);
}

/* A source that the port does not know, as the names of a kernel's own bottom halves: the port's sentence, and nothing is measured as "default". */
static void sources_that_are_not_there_are_not_made_up(void **unused)
{
    (void)unused;
    static const char *const sources[] = {"tasklet", "workqueue", "software", "probe", "no-such"};
    static const char *const names[] = {"interrupt-stages", "interrupt-total"};
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
            assert_non_null(strstr(skip, "the simulated kernel has one source of the measured interrupt"));
            assert_null(record_next(&sim, NULL, "begin", 0));
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
    static const char *const names[] = {"interrupt-stages", "interrupt-total"};
    for (size_t i = 0; i < 2; i++) {
        simulation sim;
        run_one(&sim, sim_script_find("overrun"), names[i], "");
        const char *end = series_end(&sim, 0, 0);
        assert_true(record_is(end, "status", "ok"));
        assert_true(record_is(end, "count", "57"));
        simulation_free(&sim);
    }
}

/* A period on the timer's clock, in ticks of the run's: exact where no 64 bits hold the product. */
static void periods_are_the_same_on_any_two_clocks(void **unused)
{
    (void)unused;
    static const uint64_t hz[] = {1000,       32768,      62500000,   1000000000,
                                  2999999999, 3000000001, 4294967291, (UINT64_C(1) << 34) - 1};
    for (size_t a = 0; a < sizeof hz / sizeof hz[0]; a++) {
        for (size_t b = 0; b < sizeof hz / sizeof hz[0]; b++) {
            static const uint64_t seconds[] = {0, 1, 2, 3, 1000, 100000};
            for (size_t s = 0; s < sizeof seconds / sizeof seconds[0]; s++) {
                const rts_ticks whole = seconds[s] * hz[a];
                assert_true(rts_chain_rescaled(whole, hz[b], hz[a]) == seconds[s] * hz[b]);
                const rts_ticks part = whole + hz[a] - 1u; /* one tick less than a second more */
                const rts_ticks found = rts_chain_rescaled(part, hz[b], hz[a]);
                assert_true(found == seconds[s] * hz[b] + hz[b] - 1u - (hz[b] - 1u) / hz[a]);
            }
        }
    }
}

/* An entry before its time, by a clock that runs a little behind the timer's, is a handler that keeps up. */
static void a_handler_is_behind_from_one_period_on(void **unused)
{
    (void)unused;
    static const rts_ticks due = 5000000;
    static const rts_ticks period = 1000;
    const struct {
        rts_ticks entered;
        bool behind;
    } of[] = {{due - period, false},     {due - 1, false},     {due, false},
              {due + period - 1, false}, {due + period, true}, {due + 40 * period, true}};
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        assert_int_equal(rts_behind(due, of[i].entered, period), of[i].behind);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stages_cost_what_they_must),
        cmocka_unit_test(the_stages_of_each_interrupt_are_its_total),
        cmocka_unit_test(periods_are_the_same_on_any_two_clocks),
        cmocka_unit_test(the_total_holds_no_stamp_but_the_last),
        cmocka_unit_test(the_wake_up_of_a_thread_is_called_that),
        cmocka_unit_test(without_threads_the_handler_releases_the_loop),
        cmocka_unit_test(sources_that_are_not_there_are_not_made_up),
        cmocka_unit_test(a_handler_is_behind_from_one_period_on),
        cmocka_unit_test(a_lost_release_is_found_out),
        cmocka_unit_test(missed_periods_are_samples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
