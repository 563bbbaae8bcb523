/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Threads: priorities, CPUs, yielding, and the reported use of CPU time.
 */
#define _GNU_SOURCE 1 /* cpu_set_t, to see where a thread really is */
#include <sched.h>

#include "port_test.h"

static char order[8];
static unsigned order_length;

static void note(char who)
{
    order[__atomic_fetch_add(&order_length, 1u, __ATOMIC_SEQ_CST)] = who;
}

static struct rts_thread child;

static void child_notes(void *arg)
{
    (void)arg;
    note('c');
}

static void makes_a_more_urgent_child(void *arg)
{
    const rts_thread_attr attr = test_attr(RTS_PRIORITY_HIGH, RTS_SPACE_SHARED);
    note('a');
    *(rts_status *)arg = rts_port_thread_create(&child, &attr, child_notes, NULL);
    note('b');
}

static void a_more_urgent_child_runs_before_create_returns(void **state)
{
    (void)state;
    if (!rts_posix_realtime()) {
        assert_int_equal(rts_port_priority_native(RTS_PRIORITY_HIGH, RTS_SCHED_RT), 0);
        return;
    }
    struct rts_thread parent;
    rts_status made = RTS_FAILED;
    const rts_thread_attr attr = test_attr(RTS_PRIORITY_LOW, RTS_SPACE_SHARED);
    order_length = 0;
    assert_int_equal(rts_port_thread_create(&parent, &attr, makes_a_more_urgent_child, &made), RTS_OK);
    assert_int_equal(rts_port_thread_join(&parent), RTS_OK);
    assert_int_equal(made, RTS_OK);
    assert_int_equal(rts_port_thread_join(&child), RTS_OK);
    assert_int_equal(order_length, 3);
    assert_memory_equal(order, "acb", 3);
}

typedef struct where {
    int cpu;
    int policy;
    int priority;
} where;

static void tell_where(void *arg)
{
    where *const here = arg;
    struct sched_param param;
    (void)pthread_getschedparam(pthread_self(), &here->policy, &param);
    here->priority = param.sched_priority;
    cpu_set_t set;
    CPU_ZERO(&set);
    (void)sched_getaffinity(0, sizeof set, &set);
    here->cpu = CPU_COUNT(&set) == 1 && CPU_ISSET((size_t)test_cpu(), &set) ? test_cpu() : -1;
}

static void threads_get_their_cpu_and_priority(void **state)
{
    (void)state;
    for (int priority = RTS_PRIORITY_LOAD; priority < RTS_PRIORITY_COUNT; priority++) {
        struct rts_thread thread;
        where here = {.cpu = -2};
        const rts_thread_attr attr = test_attr((rts_priority)priority, RTS_SPACE_SHARED);
        assert_int_equal(rts_port_thread_create(&thread, &attr, tell_where, &here), RTS_OK);
        assert_int_equal(rts_port_thread_join(&thread), RTS_OK);
        const int native = rts_port_priority_native((rts_priority)priority, RTS_SCHED_RT);
        assert_int_equal(here.cpu, test_cpu());
        assert_int_equal(here.priority, native);
        assert_int_equal(here.policy, native > 0 ? SCHED_FIFO : SCHED_OTHER);
    }
}

static void priorities_rise_in_order(void **state)
{
    (void)state;
    if (!rts_posix_realtime()) {
        return;
    }
    for (int priority = RTS_PRIORITY_LOW; priority < RTS_PRIORITY_COUNT; priority++) {
        assert_true(rts_port_priority_native((rts_priority)priority, RTS_SCHED_RT) >
                    rts_port_priority_native((rts_priority)(priority - 1), RTS_SCHED_RT));
    }
    assert_true(RTS_POSIX_PRIORITY_HANDLER > rts_port_priority_native(RTS_PRIORITY_TOP, RTS_SCHED_RT));
    assert_int_equal(rts_port_priority_native(RTS_PRIORITY_TOP, RTS_SCHED_TS), 0);
}

#define ROUNDS 1000

static char name_a = 'a';
static char name_b = 'b';
static char turns[2 * ROUNDS];
static _Atomic unsigned turn;
static struct rts_semaphore gate;

static void takes_turns(void *arg)
{
    (void)rts_port_semaphore_take(&gate);
    for (int i = 0; i < ROUNDS; i++) {
        turns[turn++] = *(const char *)arg;
        (void)rts_port_yield();
    }
}

static void opens_the_gate(void *arg)
{
    (void)arg;
    (void)rts_port_semaphore_give(&gate);
    (void)rts_port_semaphore_give(&gate);
}

static void yield_alternates_equal_priorities(void **state)
{
    (void)state;
    if (!rts_posix_realtime()) {
        return;
    }
    struct rts_thread a;
    struct rts_thread b;
    struct rts_thread opener; /* above them and on their CPU, so that both are ready before one of them runs */
    const rts_thread_attr attr = test_attr(RTS_PRIORITY_MIDDLE, RTS_SPACE_SHARED);
    const rts_thread_attr above = test_attr(RTS_PRIORITY_HIGH, RTS_SPACE_SHARED);
    assert_int_equal(rts_port_semaphore_create(&gate, 0, 2), RTS_OK);
    assert_int_equal(rts_port_thread_create(&a, &attr, takes_turns, &name_a), RTS_OK);
    assert_int_equal(rts_port_thread_create(&b, &attr, takes_turns, &name_b), RTS_OK);
    test_sleep_ms(20);
    assert_int_equal(rts_port_thread_create(&opener, &above, opens_the_gate, NULL), RTS_OK);
    assert_int_equal(rts_port_thread_join(&opener), RTS_OK);
    assert_int_equal(rts_port_thread_join(&a), RTS_OK);
    assert_int_equal(rts_port_thread_join(&b), RTS_OK);
    rts_port_semaphore_destroy(&gate);
    unsigned changes = 0;
    for (unsigned i = 1; i < 2 * ROUNDS; i++) {
        changes += turns[i] != turns[i - 1] ? 1u : 0u;
    }
    assert_int_equal(changes, 2 * ROUNDS - 1);
}

static void burns(void *arg)
{
    const rts_ticks end = rts_posix_monotonic() + 20000000u;
    while (rts_posix_monotonic() < end) {
    }
    __atomic_store_n((int *)arg, 1, __ATOMIC_RELEASE);
    test_sleep_ms(20);
}

static void cpu_time_of_a_thread_is_known(void **state)
{
    (void)state;
    struct rts_thread thread;
    int done = 0;
    uint64_t used = 0;
    const rts_thread_attr attr = test_attr(RTS_PRIORITY_LOAD, RTS_SPACE_SHARED);
    assert_int_equal(rts_port_thread_create(&thread, &attr, burns, &done), RTS_OK);
    while (__atomic_load_n(&done, __ATOMIC_ACQUIRE) == 0) {
        test_sleep_ms(1);
    }
    assert_int_equal(rts_port_thread_cpu_ns(&thread, &used), RTS_OK);
    assert_true(used > 0 && used < 1000000000u);
    assert_int_equal(rts_port_thread_join(&thread), RTS_OK);
    uint64_t in_the_end = 0;
    assert_int_equal(rts_port_thread_cpu_ns(&thread, &in_the_end), RTS_OK);
    assert_true(in_the_end >= used);
}

/* A sleep is one switch at most, and none where the machine takes the CPU away, on the way to it, until it is over. */
static void a_voluntary_switch_is_counted(void **state)
{
    (void)state;
    uint64_t counted = 0;
    for (unsigned attempt = 0; attempt < 100 && counted == 0; attempt++) {
        uint64_t before = 0;
        uint64_t after = 0;
        assert_int_equal(rts_port_switch_count(&before), RTS_OK);
        test_sleep_ms(2);
        assert_int_equal(rts_port_switch_count(&after), RTS_OK);
        counted = after - before;
    }
    assert_int_equal(counted, 1);
}

static void a_cpu_that_does_not_exist_is_refused(void **state)
{
    (void)state;
    int32_t cpu;
    assert_int_equal(rts_port_cpu_resolve(4095, &cpu), RTS_INVALID);
    assert_int_equal(rts_port_cpu_resolve(-2, &cpu), RTS_INVALID);
    struct rts_thread thread;
    rts_thread_attr attr = test_attr(RTS_PRIORITY_LOAD, RTS_SPACE_SHARED);
    attr.cpu = 1000;
    assert_int_equal(rts_port_thread_create(&thread, &attr, child_notes, NULL), RTS_INVALID);
    assert_true(rts_port_cpu_count() >= 1);
}

static void what_posix_lacks_is_not_had(void **state)
{
    (void)state;
    struct rts_thread thread;
    const rts_thread_attr attr = test_attr(RTS_PRIORITY_LOAD, RTS_SPACE_SHARED);
    assert_int_equal(rts_port_thread_create(&thread, &attr, child_notes, NULL), RTS_OK);
    assert_int_equal(rts_port_supports(RTS_SERVICE_THREAD_SUSPEND), RTS_UNSUPPORTED);
    assert_non_null(rts_port_why_not(RTS_SERVICE_THREAD_SUSPEND));
    assert_int_equal(rts_port_supports(RTS_SERVICE_THREAD_SUSPEND_SELF), RTS_UNSUPPORTED);
    assert_non_null(rts_port_why_not(RTS_SERVICE_THREAD_SUSPEND_SELF));
    assert_int_equal(rts_port_thread_suspend(&thread), RTS_UNSUPPORTED);
    assert_int_equal(rts_port_thread_resume(&thread), RTS_UNSUPPORTED);
    assert_int_equal(rts_port_thread_suspend_self(&thread), RTS_UNSUPPORTED);
    assert_int_equal(rts_port_thread_join(&thread), RTS_OK);
}

int main(void)
{
    test_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_more_urgent_child_runs_before_create_returns),
        cmocka_unit_test(threads_get_their_cpu_and_priority),
        cmocka_unit_test(priorities_rise_in_order),
        cmocka_unit_test(yield_alternates_equal_priorities),
        cmocka_unit_test(cpu_time_of_a_thread_is_known),
        cmocka_unit_test(a_voluntary_switch_is_counted),
        cmocka_unit_test(a_cpu_that_does_not_exist_is_refused),
        cmocka_unit_test(what_posix_lacks_is_not_had),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
