/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The measured interrupt: every period is served once, late ones with their true lateness, by every source.
 */
#include <string.h>

#include "port_test.h"

#define TAKEN_NS 5000000u /* no handler here takes so long to catch up of its own accord */
#define KEPT 32768u       /* half a minute of periods: on a busy machine a test is held up as well */

static struct {
    rts_ticks asserted[KEPT];
    rts_ticks entered[KEPT];
    pthread_t served_by[KEPT];
    unsigned count;
    rts_ticks stall_ns; /* the handler is held up once, at call number `stall_at` */
    unsigned stall_at;
    rts_ticks each_ns; /* it takes this long each time */
} seen;

static void keep(void *arg, rts_ticks asserted, rts_ticks entered)
{
    (void)arg;
    if (seen.count < KEPT) {
        seen.asserted[seen.count] = asserted;
        seen.entered[seen.count] = entered;
        seen.served_by[seen.count] = pthread_self();
    }
    __atomic_store_n(&seen.count, seen.count + 1u, __ATOMIC_RELEASE);
    const rts_ticks stall = seen.stall_ns != 0 && seen.count == seen.stall_at ? seen.stall_ns : seen.each_ns;
    if (stall != 0) {
        const rts_ticks end = rts_timer_clock_read() + stall;
        while (rts_timer_clock_read() < end) {
        }
    }
}

static rts_timer_spec spec(const char *source)
{
    const rts_timer_spec what = {
        .period = 1000000, .phase = 0, .source = source, .cpu = test_cpu(), .sched = RTS_SCHED_RT};
    return what;
}

static void begin(rts_ticks stall_ns, unsigned stall_at)
{
    seen.count = 0;
    seen.stall_ns = stall_ns;
    seen.stall_at = stall_at;
    seen.each_ns = 0;
}

/* However long a busy machine takes: ctest ends a test that waits in vain. */
static void wait_for_calls(unsigned count)
{
    while (__atomic_load_n(&seen.count, __ATOMIC_ACQUIRE) < count) {
        test_sleep_ms(1);
    }
}

static void every_period_comes(const char *source)
{
    const rts_timer_spec what = spec(source);
    begin(0, 0);
    assert_int_equal(rts_port_timer_start(&what, keep, NULL), RTS_OK);
    assert_int_equal(rts_port_timer_start(&what, keep, NULL), RTS_INVALID); /* there is one only */
    wait_for_calls(50);
    assert_int_equal(rts_port_timer_stop(), RTS_OK);
    const unsigned count = seen.count;
    test_sleep_ms(10);
    assert_int_equal(seen.count, count); /* nothing after stop */
    assert_int_equal(rts_port_timer_stop(), RTS_INVALID);
    assert_true(count >= 50 && count < KEPT);
    for (unsigned i = 0; i < count; i++) {
        assert_true(seen.entered[i] >= seen.asserted[i]);
        assert_int_equal(seen.asserted[i] - seen.asserted[0], (rts_ticks)i * what.period);
    }
}

static void every_period_comes_by_nanosleep(void **state)
{
    (void)state;
    every_period_comes("nanosleep");
    every_period_comes("nanosleep-pair");
    every_period_comes("default");
}

static void every_period_comes_by_timerfd(void **state)
{
    (void)state;
    every_period_comes("timerfd");
}

/** Periods that were served in time, right after another in time, by the thread that had not served that one; the first two are left out. */
static unsigned alternations(rts_ticks period, unsigned *judged)
{
    unsigned found = 0;
    *judged = 0;
    for (unsigned i = 3; i < seen.count && i < KEPT; i++) {
        const bool in_time = seen.entered[i] - seen.asserted[i] < period / 2u &&
                             seen.entered[i - 1] - seen.asserted[i - 1] < period / 2u;
        *judged += in_time ? 1u : 0u;
        found += in_time && pthread_equal(seen.served_by[i], seen.served_by[i - 1]) == 0 ? 1u : 0u;
    }
    return found;
}

/* The one that has served a period arms the timer of the period after the next: that of the next is armed already, by the other. */
static void the_default_arms_no_timer_that_is_due_next(void **state)
{
    (void)state;
    const char *const sources[] = {"default", "nanosleep-pair", "nanosleep", "timerfd"};
    for (unsigned i = 0; i < 4; i++) {
        const rts_timer_spec what = spec(sources[i]);
        const bool pair = i < 2;
        unsigned judged = 0;
        unsigned found = 0;
        for (unsigned attempt = 0; attempt < 100 && (judged < 20 || (pair && found != judged)); attempt++) {
            begin(0, 0);
            assert_int_equal(rts_port_timer_start(&what, keep, NULL), RTS_OK);
            wait_for_calls(60);
            assert_int_equal(rts_port_timer_stop(), RTS_OK);
            found = alternations(what.period, &judged);
        }
        assert_true(judged >= 20);
        assert_int_equal(found, pair ? judged : 0);
        assert_int_equal(rts_port_timer_arms(sources[i]), i == 2);
    }
}

#define STALL_NS 20500000u
#define STALL_AT 10u

static void a_held_up_handler_serves_all_that_it_missed(const char *source)
{
    const rts_timer_spec what = spec(source);
    begin(STALL_NS, STALL_AT);
    assert_int_equal(rts_port_timer_start(&what, keep, NULL), RTS_OK);
    wait_for_calls(STALL_AT + 30);
    assert_int_equal(rts_port_timer_stop(), RTS_OK);
    assert_true(seen.count > STALL_AT + 20 && seen.count < KEPT);
    const rts_ticks freed = seen.entered[STALL_AT - 1] + STALL_NS;
    for (unsigned i = 0; i < seen.count; i++) {
        assert_int_equal(seen.asserted[i] - seen.asserted[0], (rts_ticks)i * what.period);
        assert_true(seen.entered[i] >= seen.asserted[i]);
    }
    for (unsigned i = STALL_AT; i < STALL_AT + 20; i++) {
        assert_true(seen.entered[i] >= freed); /* the lateness is the true one */
    }
}

static void nothing_is_skipped_by_nanosleep(void **state)
{
    (void)state;
    a_held_up_handler_serves_all_that_it_missed("nanosleep");
    a_held_up_handler_serves_all_that_it_missed("nanosleep-pair");
}

static void nothing_is_skipped_by_timerfd(void **state)
{
    (void)state;
    a_held_up_handler_serves_all_that_it_missed("timerfd");
}

/**
 * Whether the machine took the CPU away in a way that calls for a rest: the stalled call was late already, or some periods in a row were
 * served late for longer than a handler needs to catch up.
 */
static bool was_taken_away(rts_ticks period)
{
    assert_true(seen.count < KEPT);
    rts_ticks late_since = 0;
    for (unsigned i = 0; i < seen.count; i++) {
        if (seen.entered[i] - seen.asserted[i] < period) {
            late_since = 0;
        } else if (i == STALL_AT - 1u || (late_since != 0 && seen.entered[i] - late_since > TAKEN_NS)) {
            return true;
        } else if (late_since == 0) {
            late_since = seen.entered[i];
        }
    }
    return false;
}

/* What holds the handler up once is a latency; the instrument adds no rest of its own to it. Judged where nothing else held it up. */
static void a_handler_that_was_held_up_does_not_rest(void **state)
{
    (void)state;
    const char *const sources[] = {"nanosleep-pair", "nanosleep", "timerfd"};
    for (unsigned i = 0; i < 3; i++) {
        const rts_timer_spec what = spec(sources[i]);
        bool judged = false;
        for (unsigned attempt = 0; attempt < 100 && !judged; attempt++) {
            begin((rts_ticks)STALL_NS * 2u, STALL_AT);
            assert_int_equal(rts_port_timer_start(&what, keep, NULL), RTS_OK);
            wait_for_calls(STALL_AT + 60);
            assert_int_equal(rts_port_timer_stop(), RTS_OK);
            judged = !was_taken_away(what.period);
            uint32_t rest_us = 0;
            assert_true(!judged || rts_port_timer_rests(&rest_us) == 0);
        }
        assert_true(judged);
    }
}

/* One that takes longer than its period lets others run now and then, and says how often: once it was behind for 20 ms, and not before. */
static void a_handler_that_never_keeps_up_says_that_it_rests(void **state)
{
    (void)state;
    rts_timer_spec what = spec("default");
    what.period = 20000;
    begin(0, 0);
    seen.each_ns = 30000;
    const rts_ticks before = rts_timer_clock_read();
    assert_int_equal(rts_port_timer_start(&what, keep, NULL), RTS_OK);
    wait_for_calls(3000); /* 90 ms, or longer where the CPU is taken away */
    assert_int_equal(rts_port_timer_stop(), RTS_OK);
    uint32_t rest_us = 0;
    assert_in_range(rts_port_timer_rests(&rest_us), 1, (rts_timer_clock_read() - before) / 20000000);
    assert_in_range(rest_us, 1, 1000);
}

/* By its length, once: a machine may hold up the handler's own start as well, but not each time. */
static void the_phase_delays_the_first(void **state)
{
    (void)state;
    rts_timer_spec what = spec("default");
    what.phase = 30000000;
    bool once = false;
    for (unsigned attempt = 0; attempt < 100 && !once; attempt++) {
        begin(0, 0);
        const rts_ticks before = rts_timer_clock_read();
        assert_int_equal(rts_port_timer_start(&what, keep, NULL), RTS_OK);
        wait_for_calls(1);
        assert_int_equal(rts_port_timer_stop(), RTS_OK);
        assert_true(seen.asserted[0] - before >= what.phase + what.period);
        once = seen.asserted[0] - before < 2u * what.phase;
    }
    assert_true(once);
}

static void stopping_does_not_wait_for_the_period(void **state)
{
    (void)state;
    const char *const sources[] = {"nanosleep-pair", "nanosleep", "timerfd"};
    for (unsigned i = 0; i < 3; i++) {
        rts_timer_spec what = spec(sources[i]);
        what.period = UINT64_C(3600000000000); /* an hour: ctest ends a test that waits for it */
        begin(0, 0);
        assert_int_equal(rts_port_timer_start(&what, keep, NULL), RTS_OK);
        test_sleep_ms(5);
        assert_int_equal(rts_port_timer_stop(), RTS_OK);
        assert_int_equal(seen.count, 0);
    }
}

static void nonsense_is_refused(void **state)
{
    (void)state;
    rts_timer_spec what = spec("sundial");
    assert_int_equal(rts_port_timer_start(&what, keep, NULL), RTS_INVALID);
    what = spec("default");
    what.period = 0;
    assert_int_equal(rts_port_timer_start(&what, keep, NULL), RTS_INVALID);
    what = spec("default");
    what.cpu = 1000;
    assert_int_equal(rts_port_timer_start(&what, keep, NULL), RTS_INVALID);
}

/* Without a module: the names of its sources, a signal and a driver's thread have a sentence with the remedy each; a thread's sources have none. */
static void what_only_a_module_has_says_so(void **state)
{
    (void)state;
    static const char *const modules[] = {"probe",    "tasklet",          "workqueue",
                                          "software", "software-tasklet", "software-workqueue"};
    static const char *const threads[] = {"default", "nanosleep-pair", "nanosleep", "timerfd"};
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {
        const rts_timer_spec what = spec(modules[i]);
        assert_int_equal(rts_port_timer_answer(modules[i]), RTS_TIMER_ENGINE);
        assert_non_null(strstr(rts_port_timer_why_not(&what, false), "only that has this source"));
        assert_false(rts_posix_timer_known(modules[i]));
    }
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        rts_timer_spec what = spec(threads[i]);
        what.path = RTS_TIMER_DEFERRED;
        assert_int_equal(rts_port_timer_answer(threads[i]), RTS_TIMER_ENGINE);
        assert_null(rts_port_timer_why_not(&what, false));
        assert_non_null(strstr(rts_port_timer_why_not(&what, true), "only a driver's handler"));
        what.path = RTS_TIMER_SIGNALLED;
        assert_non_null(strstr(rts_port_timer_why_not(&what, false), "can send the signal"));
    }
}

int main(void)
{
    test_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_period_comes_by_nanosleep),
        cmocka_unit_test(every_period_comes_by_timerfd),
        cmocka_unit_test(the_default_arms_no_timer_that_is_due_next),
        cmocka_unit_test(nothing_is_skipped_by_nanosleep),
        cmocka_unit_test(nothing_is_skipped_by_timerfd),
        cmocka_unit_test(a_handler_that_was_held_up_does_not_rest),
        cmocka_unit_test(a_handler_that_never_keeps_up_says_that_it_rests),
        cmocka_unit_test(the_phase_delays_the_first),
        cmocka_unit_test(stopping_does_not_wait_for_the_period),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(what_only_a_module_has_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
