/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What a measurement may ask of the engine: random numbers, checks, times in ticks, the pace of its slices.
 */
#include "fake_port.h"

#include "../src/pace.h"
#include "../src/run.h"
#include "../src/services.h"

static rts_run run;
static rts_plan plan;
static rts_clocks clocks;

static int begin(void **state)
{
    fake_reset(state);
    memset(&plan, 0, sizeof plan);
    rts_plan_item_default(&plan.item[0]);
    clocks.run.hz = 1000000;
    clocks.timer.hz = 3000000;
    clocks.timer.id = 1;
    rts_run_begin(&run, &plan, &plan.item[0], &fake_both, 0, &clocks);
    return 0;
}

/* The first numbers of splitmix64 with state 1234567, from its authors' program. */
static void random_numbers_are_splitmix64(void **state)
{
    (void)state;
    uint64_t generator = 1234567;
    assert_true(rts_random_next(&generator) == 6457827717110365317u);
    assert_true(rts_random_next(&generator) == 3203168211198807973u);
    assert_true(rts_random_next(&generator) == 9817491932198370423u);
}

static void random_numbers_depend_on_all_that_is_varied(void **state)
{
    (void)state;
    const uint64_t first = rts_random_seed(1, 0, 0);
    assert_true(first == rts_random_seed(1, 0, 0));
    assert_true(first != rts_random_seed(2, 0, 0));
    assert_true(first != rts_random_seed(1, 1, 0));
    assert_true(first != rts_random_seed(1, 0, 1));
    assert_true(rts_random_seed(1, 1, 0) != rts_random_seed(1, 0, 1));
}

static void figures_add_up_but_for_the_warm_up(void **state)
{
    (void)state;
    rts_run_mode(&run, RTS_RUN_WARMING);
    rts_run_figure(&run, "moved", "bytes", 5);
    rts_run_mode(&run, 0);
    assert_int_equal(run.figure_count, 0);
    rts_run_figure(&run, "moved", "bytes", 10);
    rts_run_figure(&run, "lost", "datagrams", 1);
    rts_run_figure(&run, "moved", "bytes", 12);
    assert_int_equal(run.figure_count, 2);
    assert_true(run.figure[0].value == 22 && run.figure[1].value == 1);
    assert_false(run.broke);
}

static void a_figure_has_one_unit_and_there_is_room_for_so_many(void **state)
{
    (void)state;
    rts_run_figure(&run, "moved", "bytes", 1);
    rts_run_figure(&run, "moved", "ns", 1);
    assert_true(run.broke);
    run.broke = false;
    static char names[RTS_FIGURES][2];
    for (uint32_t i = 0; i < RTS_FIGURES; i++) {
        names[i][0] = (char)('A' + i);
        rts_run_figure(&run, names[i], "bytes", 1);
    }
    assert_true(run.broke);
    assert_int_equal(run.figure_count, RTS_FIGURES);
}

static void events_that_have_no_room_are_counted(void **state)
{
    (void)state;
    rts_event event = {.kind = "switch a-task", .at = 10, .task = "a-task", .pid = 7, .priority = 99};
    for (uint32_t i = 0; i < RTS_PORT_EVENTS; i++) {
        assert_int_equal(rts_run_event_room(&run), RTS_PORT_EVENTS - i);
        rts_run_event(&run, &event);
    }
    assert_int_equal(run.event_count, RTS_PORT_EVENTS);
    assert_string_equal(run.event[0].kind, "switch a-task");
    assert_true(run.event[0].at == 10 && run.event[0].value == 0);
    assert_string_equal(run.event[0].task, "a-task");
    assert_int_equal(run.figure_count, 0);
    assert_int_equal(rts_run_event_room(&run), 0);
    rts_run_event(&run, &event);
    rts_run_event(&run, &event);
    assert_int_equal(run.event_count, RTS_PORT_EVENTS);
    assert_string_equal(run.figure[0].name, "events-dropped");
    assert_true(run.figure[0].value == 2);
    assert_false(run.broke);
}

static void checks_add_up(void **state)
{
    (void)state;
    rts_run_check(&run, "switches", 10, 9, 11);
    rts_run_check(&run, "rounds", 1, 1, 1);
    rts_run_check(&run, "switches", 12, 9, 11); /* too many here … */
    rts_run_check(&run, "switches", 9, 9, 11);  /* … and the sum is in range again */
    assert_int_equal(run.check_count, 2);
    assert_true(run.check[0].value == 31 && run.check[0].low == 27 && run.check[0].high == 33);
    assert_true(rts_run_checks_hold(&run));
    rts_run_check(&run, "rounds", 0, 1, 1);
    assert_false(rts_run_checks_hold(&run));
    assert_false(run.broke);
}

static void too_many_checks_are_not_lost(void **state)
{
    (void)state;
    static char names[RTS_CHECKS + 1][8];
    for (size_t i = 0; i <= RTS_CHECKS; i++) {
        snprintf(names[i], sizeof names[i], "c%zu", i);
        rts_run_check(&run, names[i], 1, 1, 1);
    }
    assert_true(run.broke); /* the item will fail */
}

static void times_in_ticks(void **state)
{
    (void)state;
    assert_true(rts_clock_ticks_from_ns(1000000000, 4294967295u) == 4294967295u);
    assert_true(rts_clock_ticks_from_ns(62500000, 1000000) == 62500);
    assert_true(rts_clock_ticks_from_ns(3, 1000000) == 0);
    assert_true(rts_clock_ticks_from_ns(5000000000u, 4294967295u) == 21474836475u); /* the plain product passes 2^64 */
    assert_true(rts_clock_ticks_from_ns(4999999999u, 4294967295u) == 21474836470u);
    assert_true(rts_clock_ticks_from_ms(3000000001u, 4294967295u) == 12884901889294967u);
}

static void the_measured_interrupt(void **state)
{
    (void)state;
    plan.item[0].period_ns = 2000;
    plan.item[0].phase_ns = 1000;
    run.cpu = 2;
    const rts_timer_spec spec = rts_run_timer(&run);
    assert_true(spec.period == 6 && spec.phase == 3 && spec.cpu == 2 && spec.sched == RTS_SCHED_RT);
    assert_string_equal(spec.source, "default");
    plan.item[0].period_ns = 1;
    assert_true(rts_run_timer(&run).period == 1);
}

static void threads_have_the_items_class(void **state)
{
    (void)state;
    plan.item[0].sched = RTS_SCHED_TS;
    const rts_thread_attr attr = rts_run_thread(&run, "name", RTS_PRIORITY_LOW);
    assert_true(attr.sched == RTS_SCHED_TS && attr.priority == RTS_PRIORITY_LOW && attr.space == RTS_SPACE_SHARED);
    assert_int_equal(attr.cpu, -1);
    assert_int_equal(run.top_priority, RTS_PRIORITY_LOW);
}

static void only_counted_samples_are_kept(void **state)
{
    (void)state;
    rts_recorder_reset(&run.recorder[0], 0, 1);
    rts_run_mode(&run, RTS_RUN_WARMING);
    rts_run_sample(&run, 0, 5, 1);
    assert_true(rts_run_warming(&run));
    rts_run_mode(&run, 0);
    rts_run_sample(&run, 0, 7, 2);
    assert_false(rts_run_warming(&run));
    assert_true(run.recorder[0].count == 1 && run.recorder[0].minimum == 7);
    rts_run_mode(&run, RTS_RUN_RAW);
    for (uint32_t i = 0; i < RTS_PORT_RAW_SAMPLES + 3u; i++) {
        rts_run_sample(&run, 0, 1, 3);
    }
    assert_true(run.recorder[0].count == RTS_PORT_RAW_SAMPLES + 4u); /* counted, all of them */
    assert_true(run.raw[0].count == RTS_PORT_RAW_SAMPLES && run.raw[0].dropped == 3);
}

static void slices_grow_to_a_twentieth_of_a_second(void **state)
{
    (void)state;
    rts_pace pace;
    uint32_t last = 0;
    rts_pace_begin(&pace, &run);
    for (int i = 0; i < 20; i++) {
        const uint32_t slice = rts_pace_next(&pace, 1000000);
        assert_true(i == 0 ? slice == 1 : slice <= 4 * last);
        rts_pace_done(&pace, slice, slice * 100);
        last = slice;
    }
    assert_true(last > 450 && last <= 500);
    assert_int_equal(rts_pace_next(&pace, 17), 17);
}

static void every_service_has_a_name(void **state)
{
    (void)state;
    for (int i = 0; i < RTS_SERVICE_COUNT; i++) {
        assert_non_null(rts_service_name((rts_service)i));
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(rts_service_name((rts_service)i), rts_service_name((rts_service)j));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(random_numbers_are_splitmix64, begin),
        cmocka_unit_test_setup(random_numbers_depend_on_all_that_is_varied, begin),
        cmocka_unit_test_setup(figures_add_up_but_for_the_warm_up, begin),
        cmocka_unit_test_setup(a_figure_has_one_unit_and_there_is_room_for_so_many, begin),
        cmocka_unit_test_setup(events_that_have_no_room_are_counted, begin),
        cmocka_unit_test_setup(checks_add_up, begin),
        cmocka_unit_test_setup(too_many_checks_are_not_lost, begin),
        cmocka_unit_test_setup(times_in_ticks, begin),
        cmocka_unit_test_setup(the_measured_interrupt, begin),
        cmocka_unit_test_setup(threads_have_the_items_class, begin),
        cmocka_unit_test_setup(only_counted_samples_are_kept, begin),
        cmocka_unit_test_setup(slices_grow_to_a_twentieth_of_a_second, begin),
        cmocka_unit_test_setup(every_service_has_a_name, begin),
    };
    return cmocka_run_group_tests(tests, NULL, fake_free);
}
