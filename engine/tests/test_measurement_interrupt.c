/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The measured interrupt: every period is a sample with its true lateness, early, late, missed or beyond the histogram.
 */
#include "simulation.h"

/* Costs of script "steady": reading the clock, the handler's release, a switch, and a take that need not wait. */
#define CLOCK 3
#define RELEASE 47
#define SWITCH 107
#define TAKE 41
#define HANDLER (CLOCK + RELEASE)

#define MANY 400

/** The three series of a run, worked out by hand. */
typedef struct expected_run {
    size_t count;
    size_t interrupt; /* of the script's list */
    int64_t series[3][MANY];
} expected_run;

/**
 * Adds a slice of `samples` periods. The timer restarts in each. A handler enters when it is due plus its latency, but not before the
 * handler of the period before has ended; the task runs when no handler is left to run.
 */
static void expect_slice(expected_run *run, const sim_script *script, int64_t period, size_t samples)
{
    int64_t free_at = 0; /* when the last handler has ended, from the timer's start */
    size_t done = 0;
    for (size_t i = 0; done < samples || i < samples;) {
        int64_t entered[MANY];
        int64_t asserted[MANY];
        size_t burst = 0;
        for (;; i++) {
            const int64_t late = script->latencies[run->interrupt % script->latency_count];
            const int64_t due = (int64_t)(i + 1) * period + late;
            if (burst > 0 && due > free_at) {
                break; /* the task runs first */
            }
            run->interrupt++;
            if (i >= samples) {
                continue; /* comes before the timer is stopped, and is no sample any more */
            }
            asserted[burst] = (int64_t)(i + 1) * period;
            entered[burst] = due > free_at ? due : free_at;
            free_at = entered[burst++] + HANDLER;
        }
        for (size_t b = 0; b < burst; b++) {
            const int64_t resumed = free_at + SWITCH + CLOCK + (int64_t)b * (TAKE + CLOCK);
            const int64_t released = entered[b] + CLOCK;
            run->series[0][run->count] = entered[b] - asserted[b];
            run->series[1][run->count] = resumed - asserted[b];
            run->series[2][run->count++] = resumed - released;
        }
        done += burst;
    }
}

/* The engine's slices: four times as long each, until a quarter of a second. */
static void expect_run(expected_run *run, const sim_script *script, int64_t period, size_t samples)
{
    memset(run, 0, sizeof *run);
    const size_t most = period >= 250000000 ? 1 : (size_t)(250000000 / period);
    for (size_t slice = 1, left = samples; left > 0; slice *= 4) {
        const size_t now = slice < most ? slice : most;
        expect_slice(run, script, period, now < left ? now : left);
        left -= now < left ? now : left;
    }
    assert_int_equal(run->count, samples);
}

static void assert_run_of(const sim_script *script, const char *more, int64_t period, size_t samples)
{
    expected_run run;
    expect_run(&run, script, period, samples);
    simulation sim;
    plan_begin(&sim, 1);
    char keys[120];
    (void)snprintf(keys, sizeof keys, ",\"raw\":1,\"warmup\":0,\"count\":%zu,\"period_ns\":%" PRId64 "%s", samples,
                   period, more);
    plan_item(&sim, "interrupt-response", keys);
    simulation_run(&sim, script);
    assert_int_equal(sim.outcome.exit_code, 0);
    for (int s = 0; s < 3; s++) {
        assert_true(record_is(series_end(&sim, 0, s), "status", "ok"));
        assert_series(&sim, 0, s, run.series[s], samples);
    }
    simulation_free(&sim);
}

static void assert_run(const char *name, const char *more, int64_t period, size_t samples)
{
    assert_run_of(sim_script_find(name), more, period, samples);
}

static void latencies_are_recovered(void **unused)
{
    (void)unused;
    assert_run("steady", "", 1000000, 85);
    assert_run("steady", ",\"phase_ns\":777", 1000000, 85);
}

static void early_interrupts_are_negative(void **unused)
{
    (void)unused;
    assert_run("negative", "", 1000000, 85);
}

static void missed_periods_are_samples(void **unused)
{
    (void)unused;
    assert_run("overrun", "", 1000000, 85);
    /* By hand: the third is 2.5 ms late; the next two are due meanwhile and come right after it, one handler apart. */
    expected_run run;
    memset(&run, 0, sizeof run);
    expect_slice(&run, sim_script_find("overrun"), 1000000, 5);
    const int64_t by_hand[3][5] = {
        {600, 700, 2500000, 2500000 - 1000000 + HANDLER, 2500000 - 2000000 + 2 * HANDLER},
        {760, 860, 2500000 + 3 * HANDLER + 110, 1500000 + 3 * HANDLER + 154, 500000 + 3 * HANDLER + 198},
        {157, 157, 3 * HANDLER + 107, 2 * HANDLER + 151, HANDLER + 195},
    };
    for (int s = 0; s < 3; s++) {
        for (int i = 0; i < 5; i++) {
            assert_int_equal(run.series[s][i], by_hand[s][i]);
        }
    }
}

static void what_no_histogram_holds_is_overflow(void **unused)
{
    (void)unused;
    /* Longer than the longest latency, so that no period is missed. */
    assert_run("overflow", "", 2000000000, 12);
}

static void long_tails_are_extremes(void **unused)
{
    (void)unused;
    sim_script script = *sim_script_find("tails");
    script.tail_every = 0;
    expected_run run;
    expect_run(&run, &script, 1000000, 85);
    simulation sim;
    plan_begin(&sim, 1);
    plan_item(&sim, "interrupt-response", ",\"raw\":1,\"warmup\":0,\"count\":85");
    simulation_run(&sim, &script);
    assert_series(&sim, 0, 1, run.series[1], 85);
    int64_t before = INT64_MAX;
    size_t extremes = 0;
    const char *at = NULL;
    while ((at = record_next(&sim, at, "extreme", 0)) != NULL) {
        if (record_number(at, "series") != 1) {
            continue;
        }
        const int64_t value = record_number(at, "value");
        const int64_t index = record_number(at, "index");
        assert_in_range(index, 0, 84);
        assert_int_equal(run.series[1][index], value);
        assert_true(value <= before);
        before = value;
        extremes++;
    }
    assert_int_equal(extremes, RTS_PORT_EXTREMES);
    size_t larger = 0;
    for (size_t i = 0; i < 85; i++) {
        larger += run.series[1][i] > before;
    }
    assert_true(larger < RTS_PORT_EXTREMES);
    simulation_free(&sim);
}

/* A period of a millisecond and windows of a millisecond or a power of two of them: each window's largest sample is known. */
static void windows_hold_their_largest_sample(void **unused)
{
    (void)unused;
    simulation sim;
    plan_begin(&sim, 1);
    plan_item(&sim, "interrupt-response", ",\"raw\":1,\"warmup\":0,\"count\":85");
    simulation_run(&sim, sim_script_find("overrun"));
    int64_t largest = INT64_MIN;
    int64_t width = 0;
    const char *at = NULL;
    while ((at = record_next(&sim, at, "window", 0)) != NULL) {
        if (record_number(at, "series") != 0) {
            continue;
        }
        width = record_number(at, "width");
        const char *list = record_value(at, "v");
        for (const char *entry = list; *entry != ']'; entry += strcspn(entry + 1, ",]") + 1) {
            if (strncmp(entry + 1, "null", 4) != 0) {
                const int64_t value = strtoll(entry + 1, NULL, 10);
                largest = value > largest ? value : largest;
            }
        }
    }
    assert_int_equal(largest, record_number(series_end(&sim, 0, 0), "max"));
    /* The largest of all, found again in the window into which its time falls. */
    const char *extreme = record_next(&sim, NULL, "extreme", 0);
    assert_int_equal(record_number(extreme, "value"), largest);
    const int64_t wanted = record_number(extreme, "at") / width;
    bool found = false;
    at = NULL;
    while (!found && (at = record_next(&sim, at, "window", 0)) != NULL) {
        int64_t position = record_number(at, "first");
        const char *list = record_value(at, "v");
        for (const char *entry = list; *entry != ']'; entry += strcspn(entry + 1, ",]") + 1, position++) {
            found = found || (position == wanted && strtoll(entry + 1, NULL, 10) == largest);
        }
        if (record_number(at, "series") != 0) {
            break;
        }
    }
    assert_true(found);
    simulation_free(&sim);
}

static void durations_stay_on_the_timers_clock(void **unused)
{
    (void)unused;
    simulation sim;
    plan_begin(&sim, 2);
    plan_item(&sim, "interrupt-response", ",\"warmup\":0,\"count\":20");
    plan_item(&sim, "semaphore-get-release", ",\"warmup\":0,\"count\":20");
    simulation_run(&sim, sim_script_find("other-clock"));
    const char *begin = record_next(&sim, NULL, "begin", 0);
    assert_int_equal(record_number(begin, "clock"), 1);
    begin = record_next(&sim, NULL, "begin", 1);
    assert_int_equal(record_number(begin, "clock"), 0);
    /* One tick of the timer's clock is ten of the run's: 500 + (3 + 47 + 107 + 3) / 10. */
    for (int s = 0; s < 3; s++) {
        static const int64_t wanted[] = {500, 516, 16};
        assert_int_equal(record_number(series_end(&sim, 0, s), "min"), wanted[s]);
        assert_int_equal(record_number(series_end(&sim, 0, s), "max"), wanted[s]);
    }
    simulation_free(&sim);
}

static void under_load_the_task_still_comes_first(void **unused)
{
    (void)unused;
    sim_script script = *sim_script_find("steady");
    script.quantum = 0;                  /* no switch between programs of the load for an interrupt to wait for */
    script.cost[SIM_PROCESS_SWITCH] = 0; /* else each switch from the load's process would cost it too */
    assert_run_of(&script, ",\"load\":\"cpu\",\"intensity\":3", 1000000, 85);
}

/* One handler that comes 600 periods late brings the others on with it before the task can run: more than there is room for. */
static void interrupts_that_find_no_room_are_counted(void **unused)
{
    (void)unused;
    enum { LATENCIES = 1000, PERIOD = 10000, COUNT = 1365 /* slices of 1, 4, 16, 64, 256 and 1024 */ };
    int64_t latencies[LATENCIES];
    for (size_t i = 0; i < LATENCIES; i++) {
        latencies[i] = i == 500 ? (int64_t)600 * PERIOD : 500;
    }
    sim_script script = *sim_script_find("steady");
    script.latencies = latencies;
    script.latency_count = LATENCIES;
    simulation sim;
    plan_begin(&sim, 1);
    plan_item(&sim, "interrupt-response", ",\"warmup\":0,\"count\":1365,\"period_ns\":10000");
    simulation_run(&sim, &script);
    const char *end = series_end(&sim, 0, 0);
    assert_true(record_is(end, "status", "invalid"));
    int64_t lost = -1;
    for (const char *at = record_next(&sim, NULL, "check", 0); at != NULL; at = record_next(&sim, at, "check", 0)) {
        lost = record_is(at, "name", "periods-lost") ? record_number(at, "value") : lost;
    }
    assert_true(lost > 0);
    assert_int_equal(record_number(end, "count"), COUNT - lost);
    simulation_free(&sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(latencies_are_recovered),
        cmocka_unit_test(early_interrupts_are_negative),
        cmocka_unit_test(missed_periods_are_samples),
        cmocka_unit_test(what_no_histogram_holds_is_overflow),
        cmocka_unit_test(long_tails_are_extremes),
        cmocka_unit_test(windows_hold_their_largest_sample),
        cmocka_unit_test(durations_stay_on_the_timers_clock),
        cmocka_unit_test(under_load_the_task_still_comes_first),
        cmocka_unit_test(interrupts_that_find_no_room_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
