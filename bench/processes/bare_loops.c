/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Forks, signals or threads of a program that does nothing else: bare_loops CPU PRIORITY fork|signal|thread COUNT SETS prints, a line a set,
 * the mean ns of one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t caught;

static void intercept(int signal)
{
    (void)signal;
    caught = 1;
}

static double now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void fail(const char *what)
{
    (void)fprintf(stderr, "bare_loops: %s: %s\n", what, strerror(errno));
    exit(3);
}

static double forks(long count)
{
    const double begin = now_ns();
    for (long i = 0; i < count; i++) {
        int how = 0;
        const pid_t child = fork();
        if (child == 0) {
            _exit(42);
        }
        if (child < 0 || waitpid(child, &how, 0) != child || !WIFEXITED(how) || WEXITSTATUS(how) != 42) {
            fail("fork");
        }
    }
    return (now_ns() - begin) / (double)count;
}

static double signals(long count)
{
    const pid_t self = getpid();
    const double begin = now_ns();
    for (long i = 0; i < count; i++) {
        caught = 0;
        if (kill(self, SIGRTMIN) != 0 || caught == 0) {
            fail("kill");
        }
    }
    return (now_ns() - begin) / (double)count;
}

static long begun;

static void *end_at_once(void *arg)
{
    begun++;
    return arg;
}

#define THREADS 16 /* of a set at most */
static pthread_attr_t urgent;

/* Each ends before its creation returns; they are joined outside of the window, as the engine does. */
static double threads(long count)
{
    pthread_t thread[THREADS];
    begun = 0;
    const double begin = now_ns();
    for (long i = 0; i < count; i++) {
        if (pthread_create(&thread[i], &urgent, end_at_once, NULL) != 0 || begun != i + 1) {
            fail("pthread_create");
        }
    }
    const double end = now_ns();
    for (long i = 0; i < count; i++) {
        (void)pthread_join(thread[i], NULL);
    }
    return (end - begin) / (double)count;
}

/** Makes what the loops need. Their threads are as the engine's: above their maker, with 128 KiB of stack. */
static void prepare(int priority)
{
    const struct sigaction action = {.sa_handler = intercept};
    const struct sched_param above = {.sched_priority = priority + 10};
    if (sigaction(SIGRTMIN, &action, NULL) != 0) {
        fail("sigaction");
    }
    if (pthread_attr_init(&urgent) != 0 || pthread_attr_setstacksize(&urgent, 128 * 1024) != 0 ||
        pthread_attr_setinheritsched(&urgent, PTHREAD_EXPLICIT_SCHED) != 0 ||
        pthread_attr_setschedpolicy(&urgent, SCHED_FIFO) != 0 || pthread_attr_setschedparam(&urgent, &above) != 0) {
        fail("threads");
    }
}

static double (*loop_of(const char *name))(long)
{
    return strcmp(name, "fork") == 0     ? forks
           : strcmp(name, "signal") == 0 ? signals
           : strcmp(name, "thread") == 0 ? threads
                                         : NULL;
}

int main(int count, char *words[])
{
    double (*const loop)(long) = count == 6 ? loop_of(words[3]) : NULL;
    const long each = count == 6 ? atol(words[4]) : 0;
    if (loop == NULL || each < 1 || (loop == threads && each > THREADS)) {
        (void)fputs("usage: bare_loops CPU PRIORITY fork|signal|thread COUNT SETS\n", stderr);
        return 2;
    }
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET((size_t)atoi(words[1]), &only);
    const struct sched_param param = {.sched_priority = atoi(words[2])};
    if (sched_setaffinity(0, sizeof only, &only) != 0 || sched_setscheduler(0, SCHED_FIFO, &param) != 0) {
        fail("CPU or priority");
    }
    if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        fail("mlockall");
    }
    prepare(param.sched_priority);
    (void)loop(16); /* the engine's number of warm-ups */
    for (long sets = atol(words[5]); sets > 0; sets--) {
        (void)printf("%.1f\n", loop(each));
    }
    return 0;
}
