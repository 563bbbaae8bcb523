/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The join of kernel events and user samples, with events that are lost, late, repeated, of another wake-up or out of order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../bpf/split_join.h"

static rts_split_join join;
static rts_ticks stages[RTS_SPLIT_STAGES];
static const rts_split_event nothing = {0, 0, 0, 0, 0};
static const rts_split_sample sample = {.due = 1000, .ready = 900, .user = 1100};

static int begin(void **state)
{
    (void)state;
    rts_split_join_begin(&join, 0);
    for (uint32_t i = 0; i < RTS_SPLIT_STAGES; i++) {
        stages[i] = 77;
    }
    return 0;
}

/** The event of a sample, whose boundaries are 10, 13 and 50 after it was due. */
static rts_split_event event_of(uint64_t sequence, rts_ticks due)
{
    const rts_split_event event = {sequence, due, due + 10, due + 13, due + 50};
    return event;
}

static void offer(rts_split_event event)
{
    rts_split_join_offer(&join, &event);
}

static void assert_untouched(void)
{
    for (uint32_t i = 0; i < RTS_SPLIT_STAGES; i++) {
        assert_int_equal(stages[i], 77);
    }
}

static void the_stages_add_up_to_the_response(void **state)
{
    (void)state;
    rts_split_join_expect(&join, sample);
    offer(event_of(1, 1000));
    assert_int_equal(rts_split_join_take(&join, &nothing, stages), RTS_SPLIT_MATCHED);
    assert_int_equal(stages[0], 10);
    assert_int_equal(stages[1], 3);
    assert_int_equal(stages[2], 37);
    assert_int_equal(stages[3], 50);
    assert_int_equal(stages[0] + stages[1] + stages[2] + stages[3], sample.user - sample.due);
}

static void a_lost_event_is_counted_and_its_sample_has_no_stages(void **state)
{
    (void)state;
    rts_split_join_expect(&join, sample);
    assert_int_equal(rts_split_join_take(&join, &nothing, stages), RTS_SPLIT_UNMATCHED);
    assert_untouched();
    const rts_split_sample next = {.due = 2000, .ready = 1900, .user = 2100};
    rts_split_join_expect(&join, next);
    offer(event_of(2, 2000));
    assert_int_equal(rts_split_join_take(&join, &nothing, stages), RTS_SPLIT_MATCHED);
    assert_int_equal(join.lost, 1);
    assert_int_equal(join.counts[RTS_SPLIT_UNMATCHED], 1);
    assert_int_equal(join.counts[RTS_SPLIT_MATCHED], 1);
}

static void an_event_that_comes_a_sample_late_is_not_joined_to_the_next(void **state)
{
    (void)state;
    rts_split_join_expect(&join, sample);
    assert_int_equal(rts_split_join_take(&join, &nothing, stages), RTS_SPLIT_UNMATCHED);
    const rts_split_sample next = {.due = 2000, .ready = 1900, .user = 2100};
    rts_split_join_expect(&join, next);
    offer(event_of(1, 1000));
    assert_int_equal(rts_split_join_take(&join, &nothing, stages), RTS_SPLIT_UNMATCHED);
    assert_untouched();
    assert_int_equal(join.stray, 1);
    assert_int_equal(join.lost, 0);
}

static void a_repeated_event_is_passed_over(void **state)
{
    (void)state;
    rts_split_join_expect(&join, sample);
    offer(event_of(1, 1000));
    rts_split_event again = event_of(1, 1000);
    again.handler = 1001;
    offer(again);
    assert_int_equal(rts_split_join_take(&join, &nothing, stages), RTS_SPLIT_MATCHED);
    assert_int_equal(stages[0], 10);
    assert_int_equal(join.repeated, 1);
}

static void a_second_wake_up_for_one_period_is_stray(void **state)
{
    (void)state;
    rts_split_join_expect(&join, sample);
    offer(event_of(1, 1000));
    offer(event_of(2, 1000));
    assert_int_equal(rts_split_join_take(&join, &nothing, stages), RTS_SPLIT_MATCHED);
    assert_int_equal(join.stray, 1);
}

static void events_before_the_first_are_known(void **state)
{
    (void)state;
    rts_split_join_begin(&join, 41);
    rts_split_join_expect(&join, sample);
    offer(event_of(42, 1000));
    assert_int_equal(join.lost, 0);
    assert_int_equal(rts_split_join_take(&join, &nothing, stages), RTS_SPLIT_MATCHED);
}

static void boundaries_out_of_order_give_no_stages(void **state)
{
    (void)state;
    const rts_split_event wrong[] = {
        {1, 1000, 999, 1013, 1050},  /* the handler before it was due */
        {2, 1000, 1014, 1013, 1050}, /* woken before the handler */
        {3, 1000, 1010, 1051, 1050}, /* switched to before it was woken */
        {4, 1000, 1010, 1013, 1101}, /* ran before it was switched to */
        {5, 1000, 1010, 0, 1050},    /* a boundary that was not seen */
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        rts_split_join_expect(&join, sample);
        offer(wrong[i]);
        assert_int_equal(rts_split_join_take(&join, &nothing, stages), RTS_SPLIT_DISORDERED);
        assert_untouched();
    }
    assert_int_equal(join.counts[RTS_SPLIT_DISORDERED], 5);
}

static void boundaries_may_coincide(void **state)
{
    (void)state;
    rts_split_join_expect(&join, sample);
    const rts_split_event event = {1, 1000, 1000, 1000, 1100};
    offer(event);
    assert_int_equal(rts_split_join_take(&join, &nothing, stages), RTS_SPLIT_MATCHED);
    assert_int_equal(stages[0] + stages[1] + stages[3], 0);
    assert_int_equal(stages[2], 100);
}

static void a_period_that_passed_before_the_wait_is_late(void **state)
{
    (void)state;
    const rts_split_sample late = {.due = 1000, .ready = 1000, .user = 1001};
    rts_split_join_expect(&join, late);
    assert_int_equal(rts_split_join_take(&join, &nothing, stages), RTS_SPLIT_LATE);
    assert_untouched();
}

static void a_task_that_was_woken_before_it_slept_is_told_apart(void **state)
{
    (void)state;
    rts_split_join_expect(&join, sample);
    const rts_split_event flight = {0, 1000, 1010, 1013, 0};
    assert_int_equal(rts_split_join_take(&join, &flight, stages), RTS_SPLIT_AWAKE);
    const rts_split_event other = {0, 750, 760, 763, 0};
    rts_split_join_expect(&join, sample);
    assert_int_equal(rts_split_join_take(&join, &other, stages), RTS_SPLIT_UNMATCHED);
    const rts_split_event unwoken = {0, 1000, 1010, 0, 0};
    rts_split_join_expect(&join, sample);
    assert_int_equal(rts_split_join_take(&join, &unwoken, stages), RTS_SPLIT_UNMATCHED);
    assert_untouched();
}

static void every_sample_has_one_verdict(void **state)
{
    (void)state;
    uint64_t sequence = 0;
    for (rts_ticks i = 1; i <= 1000; i++) {
        const rts_split_sample one = {
            .due = i * 1000, .ready = i % 7 == 0 ? i * 1000 : i * 1000 - 50, .user = i * 1000 + 90};
        rts_split_join_expect(&join, one);
        sequence++;
        if (i % 7 != 0 && i % 5 != 0) {
            offer(event_of(sequence, i * 1000));
        }
        (void)rts_split_join_take(&join, &nothing, stages);
    }
    uint64_t sum = 0;
    for (uint32_t v = 0; v < RTS_SPLIT_VERDICTS; v++) {
        sum += join.counts[v];
    }
    assert_int_equal(sum, 1000);
    assert_int_equal(join.counts[RTS_SPLIT_LATE], 142);
    assert_int_equal(join.counts[RTS_SPLIT_UNMATCHED], 172);
    assert_int_equal(join.counts[RTS_SPLIT_MATCHED], 686);
    assert_int_equal(join.lost, 142 + 172 - 1); /* of those after the last event nobody knows yet */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(the_stages_add_up_to_the_response, begin),
        cmocka_unit_test_setup(a_lost_event_is_counted_and_its_sample_has_no_stages, begin),
        cmocka_unit_test_setup(an_event_that_comes_a_sample_late_is_not_joined_to_the_next, begin),
        cmocka_unit_test_setup(a_repeated_event_is_passed_over, begin),
        cmocka_unit_test_setup(a_second_wake_up_for_one_period_is_stray, begin),
        cmocka_unit_test_setup(events_before_the_first_are_known, begin),
        cmocka_unit_test_setup(boundaries_out_of_order_give_no_stages, begin),
        cmocka_unit_test_setup(boundaries_may_coincide, begin),
        cmocka_unit_test_setup(a_period_that_passed_before_the_wait_is_late, begin),
        cmocka_unit_test_setup(a_task_that_was_woken_before_it_slept_is_told_apart, begin),
        cmocka_unit_test_setup(every_sample_has_one_verdict, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
