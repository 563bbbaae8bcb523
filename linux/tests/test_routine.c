/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The user-level interrupt service routine with a simulated module: each sample is of one interrupt, even if the routine or the task is late.
 */
#include <pthread.h>
#include <signal.h>

#include "../../probe/rtstone_probe.h"

#define rts_linux_routine_begin routine_begin
#define rts_linux_routine_wait routine_wait
#define rts_linux_routine_end routine_end
#define rts_linux_routine_there routine_there
#include "../../engine/tests/checks.h"
#include "../timer_routine.c" /* NOLINT(bugprone-suspicious-include): with what is played above */

/* What the module keeps, and whom it sends its signal. */
static struct {
    rts_timer_stamps sample[RTSTONE_PROBE_RING];
    uint32_t in;
    uint32_t out;
    uint64_t lost;
    pthread_t receiver;
    int number;
} module;

static rts_status played_receive(int number)
{
    module.receiver = pthread_self();
    module.number = number;
    return RTS_OK;
}

static rts_status played_take(rts_timer_stamps *stamps)
{
    if (module.out == module.in) {
        return RTS_BROKEN;
    }
    *stamps = module.sample[module.out++ % RTSTONE_PROBE_RING];
    return RTS_OK;
}

static const rts_linux_routine_module played = {.receive = played_receive, .take = played_take};

/** One interrupt's bottom half: stamps, and a signal, whose call has been when this returns. */
static void interrupt(bool signalled)
{
    if (module.in - module.out == RTSTONE_PROBE_RING) {
        module.lost++;
        return;
    }
    rts_timer_stamps *const made = &module.sample[module.in % RTSTONE_PROBE_RING];
    made->deferred = rts_timer_clock_read();
    made->lost = module.lost;
    module.in++;
    if (!signalled) {
        return;
    }
    const uint32_t calls = atomic_load(&routine.calls);
    assert_int_equal(pthread_kill(module.receiver, module.number), 0);
    while (atomic_load(&routine.calls) == calls) { /* ctest ends a test that waits in vain */
        const struct timespec moment = {0};
        (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &moment, NULL);
    }
}

static void begin(void)
{
    const rts_timer_spec spec = {.source = "probe", .cpu = RTS_CPU_ANY, .sched = RTS_SCHED_TS};
    module.in = 0;
    module.out = 0;
    module.lost = 0;
    assert_int_equal(routine_begin(&spec, &played), RTS_OK);
}

/** Takes so many, each of which must be of one interrupt: called after it was deferred, and before the next one was. */
static void take(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        rts_timer_stamps stamps;
        const uint32_t at = module.out;
        assert_int_equal(routine_wait(&stamps), RTS_OK);
        assert_int_equal(module.out, at + 1u);
        assert_true(stamps.routine >= stamps.deferred);
        assert_true(stamps.released >= stamps.routine);
        assert_true(stamps.resumed >= stamps.released);
        if (module.out != module.in) {
            assert_true(stamps.routine <= module.sample[module.out % RTSTONE_PROBE_RING].deferred);
        }
    }
}

/* Hundreds of interrupts, and then more than the module keeps, before the task comes to take the first. */
static void a_late_task_has_each_interrupts_own_stamps(void **state)
{
    (void)state;
    begin();
    for (uint32_t i = 0; i < 600; i++) {
        interrupt(true);
    }
    take(600);
    for (uint32_t i = 0; i < RTSTONE_PROBE_RING + 7u; i++) {
        interrupt(true);
    }
    assert_int_equal(module.lost, 7);
    take(RTSTONE_PROBE_RING);
    interrupt(true);
    rts_timer_stamps last;
    assert_int_equal(routine_wait(&last), RTS_OK);
    assert_int_equal(last.lost, 7);
    assert_int_equal(routine_end(), RTS_OK);
}

/* No room for a signal in the kernel's queue: the next call is taken for this interrupt's, and the end finds it. */
static void a_signal_that_was_merged_is_found_out(void **state)
{
    (void)state;
    begin();
    interrupt(true);
    interrupt(false);
    interrupt(true);
    rts_timer_stamps stamps;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(routine_wait(&stamps), RTS_OK);
    }
    assert_int_equal(routine_end(), RTS_BROKEN);
    begin();
    interrupt(true);
    assert_int_equal(routine_end(), RTS_OK); /* one that nobody took any more is no fault */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_late_task_has_each_interrupts_own_stamps),
        cmocka_unit_test(a_signal_that_was_merged_is_found_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
