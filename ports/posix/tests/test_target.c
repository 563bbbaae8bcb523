/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The port's description of the target, the resources that it acquires and releases, and its messages when it lacks a permission.
 */
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "port_test.h"

static struct {
    unsigned facts;
    unsigned bad;
    bool release;
    bool class;
    char degraded[256];
} told;

static void take_fact(void *arg, const char *key, const char *value)
{
    assert_ptr_equal(arg, &told);
    told.facts++;
    told.bad += key[0] == '\0' || value[0] == '\0' || strchr(value, '\n') != NULL ? 1u : 0u;
    told.release = told.release || strcmp(key, "kernel.release") == 0;
    told.class = told.class || strcmp(key, "sched.rt") == 0;
}

static void take_degraded(void *arg, const char *reason, const char *text, const char *remedy)
{
    assert_ptr_equal(arg, &told);
    assert_true(text[0] != '\0' && remedy[0] != '\0');
    const size_t length = strlen(told.degraded);
    (void)snprintf(told.degraded + length, sizeof told.degraded - length, "%s ", reason);
}

static void facts_are_told_once_each_and_none_is_empty(void **state)
{
    (void)state;
    memset(&told, 0, sizeof told);
    rts_port_describe(take_fact, &told);
    assert_true(told.facts > 10);
    assert_int_equal(told.bad, 0);
    assert_true(told.release);
    assert_true(told.class);
}

static void prepare_and_release_can_be_repeated(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        memset(&told, 0, sizeof told);
        assert_int_equal(rts_port_prepare(take_degraded, &told), RTS_OK);
        assert_int_equal(strstr(told.degraded, "no-realtime") == NULL, rts_posix_realtime());
        rts_port_release();
        assert_false(rts_posix_locked());
    }
}

static void nothing(void *arg)
{
    (void)arg;
}

/** In a process of its own, because a privilege that is given up does not come back. */
static int without_privilege(void)
{
    const struct rlimit none = {0, 0};
    if (setrlimit(RLIMIT_RTPRIO, &none) != 0 || setrlimit(RLIMIT_MEMLOCK, &none) != 0 ||
        (geteuid() == 0 && setuid(65534) != 0)) {
        return 1;
    }
    memset(&told, 0, sizeof told);
    if (rts_posix_realtime() || rts_port_prepare(take_degraded, &told) != RTS_OK) {
        return 2;
    }
    if (strstr(told.degraded, "no-realtime") == NULL) {
        return 3;
    }
#if !defined(__SANITIZE_ADDRESS__) &&                                                                                  \
    !defined(__SANITIZE_THREAD__) /* which make mlockall do nothing and say that it did */
    if (strstr(told.degraded, "no-memory-lock") == NULL) {
        return 3;
    }
#endif
    struct rts_thread thread;
    const rts_thread_attr attr = test_attr(RTS_PRIORITY_TOP, RTS_SPACE_SHARED);
    if (rts_port_thread_create(&thread, &attr, nothing, NULL) != RTS_OK || rts_port_thread_join(&thread) != RTS_OK) {
        return 4; /* the run goes on */
    }
    rts_ticks run = 1;
    rts_ticks rest = 1;
    rts_port_duty(&run, &rest);
    return run == 0 && rest == 0 && rts_port_priority_native(RTS_PRIORITY_TOP, RTS_SCHED_RT) == 0 ? 0 : 5;
}

static void without_privilege_the_run_is_degraded_and_goes_on(void **state)
{
    (void)state;
    int pipe_of_code[2];
    assert_int_equal(pipe(pipe_of_code), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const int code = without_privilege();
        _exit(write(pipe_of_code[1], &code, sizeof code) == (ssize_t)sizeof code ? code : 9);
    }
    int code = -1;
    int status = 0;
    assert_int_equal(read(pipe_of_code[0], &code, sizeof code), sizeof code);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(code, 0);
}

static void every_service_is_answered(void **state)
{
    (void)state;
    for (int service = 0; service < RTS_SERVICE_COUNT; service++) {
        const rts_status status = rts_port_supports((rts_service)service);
        assert_true(status == RTS_OK || status == RTS_UNSUPPORTED || status == RTS_DENIED);
        if (status != RTS_OK) {
            assert_non_null(rts_port_why_not((rts_service)service));
        }
    }
    assert_int_equal(rts_port_supports(RTS_SERVICE_COUNT), RTS_UNSUPPORTED);
}

int main(void)
{
    test_begin();
    const struct CMUnitTest tests[] = {
        /* First: the others ask for privileges, and the answer is kept. */
        cmocka_unit_test(without_privilege_the_run_is_degraded_and_goes_on),
        cmocka_unit_test(facts_are_told_once_each_and_none_is_empty),
        cmocka_unit_test(prepare_and_release_can_be_repeated),
        cmocka_unit_test(every_service_is_answered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
