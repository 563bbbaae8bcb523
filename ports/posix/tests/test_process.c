/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Threads with an address space of their own: shared memory, suspension, and that none outlives the engine.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "port_test.h"
#include "rtstone/engine.h"

typedef struct room {
    struct rts_thread a;
    struct rts_thread b;
    struct rts_semaphore ping;
    struct rts_semaphore pong;
    struct rts_mutex mutex;
    uint64_t rounds;
    uint64_t ticks;
    long a_pid;
    int wrong;
} room;

#define ROUNDS 500u

static room *fresh_room(void)
{
    room *const shared = rts_port_memory(sizeof(room));
    assert_non_null(shared);
    assert_int_equal(shared->rounds, 0);
    return shared;
}

static void pings(void *arg)
{
    room *const shared = arg;
    shared->a_pid = (long)getpid();
    for (unsigned i = 0; i < ROUNDS; i++) {
        (void)rts_port_semaphore_give(&shared->ping);
        (void)rts_port_semaphore_take(&shared->pong);
        shared->rounds++;
    }
}

static void pongs(void *arg)
{
    room *const shared = arg;
    for (unsigned i = 0; i < ROUNDS; i++) {
        (void)rts_port_semaphore_take(&shared->ping);
        (void)rts_port_semaphore_give(&shared->pong);
    }
}

static void processes_ping_through_semaphores(void **state)
{
    (void)state;
    room *const shared = fresh_room();
    const rts_thread_attr attr = test_attr(RTS_PRIORITY_MIDDLE, RTS_SPACE_OWN);
    assert_int_equal(rts_port_semaphore_create_shared(&shared->ping, 0, 1), RTS_OK);
    assert_int_equal(rts_port_semaphore_create_shared(&shared->pong, 0, 1), RTS_OK);
    assert_int_equal(rts_port_thread_create(&shared->a, &attr, pings, shared), RTS_OK);
    assert_int_equal(rts_port_thread_create(&shared->b, &attr, pongs, shared), RTS_OK);
    assert_int_equal(rts_port_thread_join(&shared->a), RTS_OK);
    assert_int_equal(rts_port_thread_join(&shared->b), RTS_OK);
    assert_int_equal(shared->rounds, ROUNDS);
    assert_true(shared->a_pid != 0 && shared->a_pid != (long)getpid());
}

static void counts_until_told(void *arg)
{
    room *const shared = arg;
    while (__atomic_load_n(&shared->rounds, __ATOMIC_SEQ_CST) == 0) {
        (void)__atomic_add_fetch(&shared->ticks, 1u, __ATOMIC_SEQ_CST);
    }
}

/*
 * What must happen is waited for, however long a busy machine takes to give a process of ordinary priority its turn: ctest ends a test that waits
 * in vain.
 */
static void wait_until_suspended(struct rts_thread *thread, bool suspended)
{
    while (rts_port_thread_is_suspended(thread) != suspended) {
        test_sleep_ms(1);
    }
}

static void wait_until_above(const uint64_t *number, uint64_t than)
{
    while (__atomic_load_n(number, __ATOMIC_SEQ_CST) <= than) {
        test_sleep_ms(1);
    }
}

static void a_suspended_process_stands_still(void **state)
{
    (void)state;
    room *const shared = fresh_room();
    const rts_thread_attr attr = test_attr(RTS_PRIORITY_LOAD, RTS_SPACE_OWN);
    assert_int_equal(rts_port_thread_create(&shared->a, &attr, counts_until_told, shared), RTS_OK);
    wait_until_above(&shared->ticks, 0);
    assert_int_equal(rts_port_thread_suspend(&shared->a), RTS_OK);
    wait_until_suspended(&shared->a, true);
    const uint64_t then = __atomic_load_n(&shared->ticks, __ATOMIC_SEQ_CST);
    test_sleep_ms(30);
    assert_int_equal(__atomic_load_n(&shared->ticks, __ATOMIC_SEQ_CST), then);
    assert_int_equal(rts_port_thread_resume(&shared->a), RTS_OK);
    wait_until_suspended(&shared->a, false);
    wait_until_above(&shared->ticks, then);
    __atomic_store_n(&shared->rounds, 1u, __ATOMIC_SEQ_CST);
    assert_int_equal(rts_port_thread_join(&shared->a), RTS_OK);
}

static void suspends_itself(void *arg)
{
    room *const shared = arg;
    shared->wrong = rts_port_thread_suspend_self(&shared->a) == RTS_OK ? 0 : 1;
    shared->rounds = 1;
}

static void a_process_suspends_itself(void **state)
{
    (void)state;
    room *const shared = fresh_room();
    const rts_thread_attr attr = test_attr(RTS_PRIORITY_MIDDLE, RTS_SPACE_OWN);
    assert_int_equal(rts_port_thread_create(&shared->a, &attr, suspends_itself, shared), RTS_OK);
    wait_until_suspended(&shared->a, true);
    assert_int_equal(shared->rounds, 0);
    assert_int_equal(rts_port_thread_resume(&shared->a), RTS_OK);
    assert_int_equal(rts_port_thread_join(&shared->a), RTS_OK);
    assert_int_equal(shared->rounds, 1);
    assert_int_equal(shared->wrong, 0);
}

static void a_killed_process_ends_the_run(void **state)
{
    (void)state;
    room *const shared = fresh_room();
    const pid_t engine = fork();
    assert_true(engine >= 0);
    if (engine == 0) {
        rts_posix_signals(false);
        const rts_thread_attr attr = test_attr(RTS_PRIORITY_LOAD, RTS_SPACE_OWN);
        if (rts_port_thread_create(&shared->a, &attr, counts_until_told, shared) != RTS_OK ||
            kill(shared->a.process, SIGKILL) != 0) {
            _exit(1);
        }
        for (;;) {
            (void)pause();
        }
    }
    int status = 0;
    assert_int_equal(waitpid(engine, &status, 0), engine);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), RTS_EXIT_FAILED);
}

static void an_object_outside_shared_memory_is_refused(void **state)
{
    (void)state;
    (void)fresh_room();
    struct rts_thread thread;
    const rts_thread_attr attr = test_attr(RTS_PRIORITY_LOAD, RTS_SPACE_OWN);
    assert_int_equal(rts_port_thread_create(&thread, &attr, counts_until_told, NULL), RTS_INVALID);
}

static void no_process_outlives_a_killed_engine(void **state)
{
    (void)state;
    room *const shared = fresh_room();
    /* Read to its end once all who hold the other end are dead, whoever reaps them, and when. */
    int alive[2];
    assert_int_equal(pipe(alive), 0);
    const pid_t engine = fork();
    assert_true(engine >= 0);
    if (engine == 0) {
        rts_thread_attr attr = test_attr(RTS_PRIORITY_LOAD, RTS_SPACE_OWN);
        if (rts_port_thread_create(&shared->a, &attr, counts_until_told, shared) != RTS_OK ||
            rts_port_thread_create(&shared->b, &attr, counts_until_told, shared) != RTS_OK ||
            rts_port_thread_suspend(&shared->b) != RTS_OK) {
            _exit(1);
        }
        for (;;) {
            (void)pause();
        }
    }
    (void)close(alive[1]);
    while (!rts_port_thread_is_suspended(&shared->b)) {
        assert_int_equal(waitpid(engine, NULL, WNOHANG), 0);
        test_sleep_ms(1);
    }
    const pid_t a = shared->a.process;
    const pid_t b = shared->b.process;
    assert_true(a > 0 && b > 0);
    assert_int_equal(kill(a, 0), 0);
    (void)signal(SIGCHLD, SIG_DFL); /* this test is no engine: it kills its child on purpose */
    assert_int_equal(kill(engine, SIGKILL), 0);
    assert_int_equal(waitpid(engine, NULL, 0), engine);
    char none = 0;
    assert_int_equal(read(alive[0], &none, 1), 0); /* the suspended one has gone too */
    (void)close(alive[0]);
}

int main(void)
{
    test_begin();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_ping_through_semaphores),
        cmocka_unit_test(a_suspended_process_stands_still),
        cmocka_unit_test(a_process_suspends_itself),
        cmocka_unit_test(a_killed_process_ends_the_run),
        cmocka_unit_test(an_object_outside_shared_memory_is_refused),
        cmocka_unit_test(no_process_outlives_a_killed_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
