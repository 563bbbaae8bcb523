/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Forks and signals of a program that does nothing else: bare_loops CPU PRIORITY FORKS SIGNALS prints the mean ns of each.
 */
#define _GNU_SOURCE
#include <errno.h>
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
    struct sigaction action = {.sa_handler = intercept};
    const pid_t self = getpid();
    if (sigaction(SIGRTMIN, &action, NULL) != 0) {
        fail("sigaction");
    }
    const double begin = now_ns();
    for (long i = 0; i < count; i++) {
        caught = 0;
        if (kill(self, SIGRTMIN) != 0 || caught == 0) {
            fail("kill");
        }
    }
    return (now_ns() - begin) / (double)count;
}

int main(int count, char *words[])
{
    if (count != 5) {
        (void)fputs("usage: bare_loops CPU PRIORITY FORKS SIGNALS\n", stderr);
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
    (void)forks(16); /* as many as the engine warms up with */
    (void)signals(16);
    const double fork_ns = forks(atol(words[3]));
    (void)printf("%.1f %.1f\n", fork_ns, signals(atol(words[4])));
    return 0;
}
