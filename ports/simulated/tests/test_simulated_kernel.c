/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The simulated kernel keeps its own rules: priorities, order, inheritance, quantum, sleep, interrupts, and the costs of its script.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "rtstone/port.h"
#include "simulated.h"

static char order[64];

static void note(char who)
{
    const size_t length = strlen(order);
    if (length + 1 < sizeof order) {
        order[length] = who;
        order[length + 1] = '\0';
    }
}

static rts_thread_attr attr(const char *name, rts_priority priority)
{
    return (rts_thread_attr){.name = name, .priority = priority, .cpu = 0};
}

static sim_outcome run(const sim_script *script, int (*entry)(void *))
{
    order[0] = '\0';
    return sim_run(script, NULL, entry, NULL);
}

/* ---- priorities ------------------------------------------------------------------------------ */

static void note_name(void *arg)
{
    note(*(const char *)arg);
}

static int make_three(void *unused)
{
    (void)unused;
    struct rts_thread low;
    struct rts_thread middle;
    struct rts_thread high;
    static char names[] = "lmh";
    rts_thread_attr one = attr("low", RTS_PRIORITY_LOAD);
    assert_int_equal(rts_port_thread_create(&low, &one, note_name, &names[0]), RTS_OK);
    note('1');
    one = attr("middle", RTS_PRIORITY_LOW); /* the engine's own: no switch until it waits */
    assert_int_equal(rts_port_thread_create(&middle, &one, note_name, &names[1]), RTS_OK);
    note('2');
    one = attr("high", RTS_PRIORITY_HIGH);
    assert_int_equal(rts_port_thread_create(&high, &one, note_name, &names[2]), RTS_OK);
    note('3');
    assert_int_equal(rts_port_thread_join(&low), RTS_OK);
    assert_int_equal(rts_port_thread_join(&middle), RTS_OK);
    assert_int_equal(rts_port_thread_join(&high), RTS_OK);
    return 7;
}

static void the_most_urgent_runs(void **unused)
{
    (void)unused;
    const sim_outcome outcome = run(sim_script_find("steady"), make_three);
    assert_int_equal(outcome.exit_code, 7);
    assert_null(outcome.fatal);
    assert_string_equal(order, "12h3ml");
}

/* ---- costs ----------------------------------------------------------------------------------- */

static int spend(void *unused)
{
    (void)unused;
    struct rts_semaphore semaphore;
    assert_int_equal(rts_port_semaphore_create(&semaphore, 1, 1), RTS_OK);
    const rts_ticks begin = rts_clock_read();
    assert_int_equal(rts_port_semaphore_take(&semaphore), RTS_OK);
    assert_int_equal(rts_port_semaphore_give(&semaphore), RTS_OK);
    assert_int_equal(rts_clock_read() - begin, 41 + 43 + 3);
    assert_int_equal(rts_port_semaphore_give(&semaphore), RTS_FAILED); /* it is full */
    rts_port_semaphore_destroy(&semaphore);
    return 0;
}

static void calls_cost_what_the_script_says(void **unused)
{
    (void)unused;
    const sim_outcome outcome = run(sim_script_find("steady"), spend);
    assert_int_equal(outcome.exit_code, 0);
    assert_int_equal(outcome.now, 3 + 41 + 43 + 3 + 43);
    assert_int_equal(sim_calls("engine", SIM_GIVE), 2);
    assert_int_equal(sim_calls(NULL, SIM_GIVE), 2);
    assert_int_equal(sim_calls("worker", SIM_GIVE), 0);
}

/* ---- inheritance ----------------------------------------------------------------------------- */

static struct rts_mutex mutex;
static struct rts_semaphore start;

static void want_mutex(void *unused)
{
    (void)unused;
    note('h');
    assert_int_equal(rts_port_mutex_lock(&mutex), RTS_OK);
    note('H');
    assert_int_equal(rts_port_mutex_unlock(&mutex), RTS_OK);
}

static int hold_mutex(void *protocol)
{
    struct rts_thread high;
    struct rts_thread middle;
    static char name = 'm';
    (void)protocol;
    assert_int_equal(rts_port_mutex_create(&mutex, RTS_PROTOCOL_INHERIT), RTS_OK);
    assert_int_equal(rts_port_mutex_lock(&mutex), RTS_OK);
    assert_int_equal(rts_port_mutex_lock(&mutex), RTS_INVALID); /* not twice */
    rts_thread_attr one = attr("high", RTS_PRIORITY_HIGH);
    assert_int_equal(rts_port_thread_create(&high, &one, want_mutex, NULL), RTS_OK);
    one = attr("middle", RTS_PRIORITY_MIDDLE);
    assert_int_equal(rts_port_thread_create(&middle, &one, note_name, &name), RTS_OK);
    note('u');
    assert_int_equal(rts_port_mutex_unlock(&mutex), RTS_OK);
    assert_int_equal(rts_port_mutex_unlock(&mutex), RTS_INVALID); /* not the owner */
    assert_int_equal(rts_port_thread_join(&high), RTS_OK);
    assert_int_equal(rts_port_thread_join(&middle), RTS_OK);
    rts_port_mutex_destroy(&mutex);
    return 0;
}

static void a_holder_inherits_the_priority_of_who_waits(void **unused)
{
    (void)unused;
    assert_int_equal(run(sim_script_find("steady"), hold_mutex).exit_code, 0);
    assert_string_equal(order, "huHm");
    sim_script script = *sim_script_find("steady");
    script.no_inheritance = true;
    assert_int_equal(run(&script, hold_mutex).exit_code, 0);
    assert_string_equal(order, "hmuH");
}

/* ---- time ------------------------------------------------------------------------------------ */

static void spin(void *name)
{
    for (int i = 0; i < 3; i++) {
        for (int step = 0; step < 1000; step++) {
            (void)rts_clock_read();
        }
        note(*(const char *)name);
    }
}

static int spin_both(void *unused)
{
    (void)unused;
    struct rts_thread a;
    struct rts_thread b;
    static char names[] = "ab";
    const rts_thread_attr load = attr("load", RTS_PRIORITY_LOAD);
    assert_int_equal(rts_port_thread_create(&a, &load, spin, &names[0]), RTS_OK);
    assert_int_equal(rts_port_thread_create(&b, &load, spin, &names[1]), RTS_OK);
    assert_int_equal(rts_port_thread_join(&a), RTS_OK);
    assert_int_equal(rts_port_thread_join(&b), RTS_OK);
    uint64_t cpu_ns = 0;
    assert_int_equal(rts_port_thread_cpu_ns(&a, &cpu_ns), RTS_OK);
    assert_int_equal(cpu_ns, 3000 * 1009 + 53); /* its steps and its end; switches are the kernel's */
    return 0;
}

static void a_quantum_shares_the_cpu(void **unused)
{
    (void)unused;
    sim_script script = *sim_script_find("steady");
    assert_int_equal(run(&script, spin_both).exit_code, 0);
    assert_string_equal(order, "ababab");
    script.quantum = 0;
    assert_int_equal(run(&script, spin_both).exit_code, 0);
    assert_string_equal(order, "aaabbb");
}

static rts_ticks entered_at[4];
static rts_ticks asserted_at[4];
static unsigned entries;

static void on_interrupt(void *arg, rts_ticks asserted, rts_ticks entered)
{
    assert_ptr_equal(arg, entered_at);
    assert_in_range(entries, 0, 3);
    asserted_at[entries] = asserted;
    entered_at[entries++] = entered;
}

static int wait_for_interrupts(void *unused)
{
    (void)unused;
    entries = 0;
    rts_timer_spec spec = {.period = 10000, .phase = 17, .source = "default", .cpu = 0};
    const rts_ticks began = rts_clock_read();
    assert_int_equal(rts_port_timer_start(&spec, on_interrupt, entered_at), RTS_OK);
    assert_int_equal(rts_port_timer_start(&spec, on_interrupt, entered_at), RTS_INVALID); /* there is one timer */
    assert_int_equal(rts_port_sleep_until(began + 45000), RTS_OK);
    assert_int_equal(rts_port_timer_stop(), RTS_OK);
    assert_true(rts_clock_read() >= began + 45000);
    assert_int_equal(entries, 4);
    static const int64_t late[] = {120, -80, 0, -1};
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(asserted_at[i], began + 17 + (i + 1) * 10000);
        assert_int_equal((int64_t)(entered_at[i] - asserted_at[i]), late[i]);
    }
    spec.source = "no such";
    assert_int_equal(rts_port_timer_start(&spec, on_interrupt, entered_at), RTS_INVALID);
    return 0;
}

static void interrupts_come_when_the_script_says(void **unused)
{
    (void)unused;
    assert_int_equal(run(sim_script_find("negative"), wait_for_interrupts).exit_code, 0);
    assert_int_equal(sim_interrupts(), 4);
}

/* ---- queues ---------------------------------------------------------------------------------- */

static int fill_queue(void *unused)
{
    (void)unused;
    struct rts_queue queue;
    uint32_t got;
    assert_int_equal(rts_port_queue_create(&queue, 4, sizeof got - 1), RTS_INVALID);
    assert_int_equal(rts_port_queue_create(&queue, 4, sizeof got), RTS_OK);
    for (uint32_t letter = 'a'; letter <= 'd'; letter++) {
        const bool urgent = letter == 'b' || letter == 'd';
        assert_int_equal((urgent ? rts_port_queue_send_urgent : rts_port_queue_send)(&queue, &letter), RTS_OK);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(rts_port_queue_receive(&queue, &got), RTS_OK);
        note((char)got);
    }
    rts_port_queue_destroy(&queue);
    return 0;
}

static void urgent_messages_go_to_the_head(void **unused)
{
    (void)unused;
    assert_int_equal(run(sim_script_find("steady"), fill_queue).exit_code, 0);
    assert_string_equal(order, "dbac");
    assert_int_equal(run(sim_script_find("substitutes"), fill_queue).exit_code, 0);
    assert_string_equal(order, "bdac");
}

/* ---- broken programs ------------------------------------------------------------------------- */

static int wait_for_ever(void *unused)
{
    (void)unused;
    assert_int_equal(rts_port_semaphore_create(&start, 0, 1), RTS_OK);
    (void)rts_port_semaphore_take(&start);
    return 0;
}

static void a_deadlock_ends_the_simulation(void **unused)
{
    (void)unused;
    const sim_outcome outcome = run(sim_script_find("steady"), wait_for_ever);
    assert_int_equal(outcome.exit_code, 3);
    assert_non_null(strstr(outcome.fatal, "deadlock"));
}

static void compute_for_ever(void *unused)
{
    (void)unused;
    for (;;) {
        (void)rts_clock_read();
    }
}

static int wait_beside_a_load(void *unused)
{
    struct rts_thread load;
    const rts_thread_attr one = attr("load", RTS_PRIORITY_LOAD);
    assert_int_equal(rts_port_thread_create(&load, &one, compute_for_ever, NULL), RTS_OK);
    return wait_for_ever(unused);
}

static void a_load_hides_no_deadlock(void **unused)
{
    (void)unused;
    const sim_outcome outcome = run(sim_script_find("steady"), wait_beside_a_load);
    assert_int_equal(outcome.exit_code, 3);
    assert_non_null(strstr(outcome.fatal, "deadlock"));
}

static int use_up_threads(void *unused)
{
    (void)unused;
    static struct rts_thread threads[64];
    static char name = 't';
    const rts_thread_attr one = attr("many", RTS_PRIORITY_LOAD);
    unsigned made = 0;
    rts_status status = RTS_OK;
    while (status == RTS_OK && made < 64) {
        status = rts_port_thread_create(&threads[made++], &one, note_name, &name);
    }
    assert_int_equal(status, RTS_NO_MEMORY);
    for (unsigned i = 0; i + 1 < made; i++) {
        assert_int_equal(rts_port_thread_join(&threads[i]), RTS_OK);
    }
    return 0;
}

static void too_many_threads_are_refused(void **unused)
{
    (void)unused;
    assert_int_equal(run(sim_script_find("steady"), use_up_threads).exit_code, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_most_urgent_runs),
        cmocka_unit_test(calls_cost_what_the_script_says),
        cmocka_unit_test(a_holder_inherits_the_priority_of_who_waits),
        cmocka_unit_test(a_quantum_shares_the_cpu),
        cmocka_unit_test(interrupts_come_when_the_script_says),
        cmocka_unit_test(urgent_messages_go_to_the_head),
        cmocka_unit_test(a_deadlock_ends_the_simulation),
        cmocka_unit_test(a_load_hides_no_deadlock),
        cmocka_unit_test(too_many_threads_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
