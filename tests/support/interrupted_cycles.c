/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program whose sleeps signals interrupt, for tests of `rtstone attach`: CPU PRIORITY PERIOD_NS COUNT NAME SLEEP SIGNAL. Once it has read a byte
 * it runs COUNT cycles and prints {"cycles": [[due, end, after], …], "signals": [sent, …]} in ns of CLOCK_MONOTONIC. A cycle that was due while the one
 * before still ran is skipped. `after`: CPU time of the thread from the end until its next sleep is over: a virtual CPU can be slow there.
 *
 * SLEEP: `absolute`: until a time; `relative`: for a time.
 * SIGNAL: `none`; `stop`: a child stops the program now and then, for up to two periods, and continues it; `handler`: the child sends it a signal
 * with a handler, and the program sleeps on for the rest; `answer`: one cycle in ten waits for the child in its middle, which stops the program in
 * that wait and answers meanwhile.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clocks.h"

#define WORK_NS 50000ll
#define HANDLER_NS 20000ll
#define ANSWER_MS 1000
#define SIGNALS 4096

static char *const *words;
static struct {
    int count;
    long long sent[SIGNALS];
} * signals; /* which the child sent */
static int to_child[2];
static int from_child[2];

static long long number(int at)
{
    return strtoll(words[at], NULL, 10);
}

static bool is(int at, const char *word)
{
    return strcmp(words[at], word) == 0;
}

static struct timespec time_of(long long ns)
{
    return (struct timespec){.tv_sec = ns / SECOND_NS, .tv_nsec = ns % SECOND_NS};
}

static void work(long long ns)
{
    const long long end = now() + ns;
    while (now() < end) {
    }
}

static void handler(int signal)
{
    (void)signal;
    work(HANDLER_NS);
}

static void pause_for(long long ns)
{
    const struct timespec time = time_of(ns);
    (void)clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static void send(int signal)
{
    if (signals->count < SIGNALS) {
        signals->sent[signals->count++] = now();
    }
    (void)kill(getppid(), signal);
}

/** Stops the program for 0.05 to 2 periods, and answers it meanwhile. */
static void stop(bool answer)
{
    send(SIGSTOP);
    pause_for(number(3) * (50 + random() % 1950) / 1000);
    if (answer) {
        (void)!write(from_child[1], "", 1);
    }
    send(SIGCONT);
}

static void child(void)
{
    char byte = 0;
    (void)prctl(PR_SET_NAME, "interrupter");
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    (void)close(to_child[1]);
    while (read(to_child[0], &byte, 1) == 1) {
        if (is(7, "answer")) {
            pause_for(number(3) / 10);
            stop(true);
            continue;
        }
        pause_for(number(3) * (random() % 1000) / 1000);
        if (is(7, "stop")) {
            stop(false);
        } else {
            send(SIGUSR1);
        }
    }
    _exit(0);
}

/** Sleeps until a time. Returns it; for a time relative to now what it came to be. */
static long long sleep_until(long long due)
{
    struct timespec rest = time_of(due);
    if (is(6, "absolute")) {
        while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &rest, NULL) == EINTR) {
        }
        return due;
    }
    rest = time_of(number(3));
    due = now() + number(3);
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &rest, &rest) == EINTR) {
        due = now() + rest.tv_sec * SECOND_NS + rest.tv_nsec;
    }
    return due;
}

static void await_answer(void)
{
    char byte = 0;
    struct pollfd answer = {.fd = from_child[0], .events = POLLIN};
    (void)!write(to_child[1], "", 1);
    if (poll(&answer, 1, ANSWER_MS) == 1) {
        (void)!read(from_child[0], &byte, 1);
    }
}

int main(int count, char *arguments[])
{
    char byte = 0;
    words = arguments;
    if (count != 8 || pipe(to_child) != 0 || pipe(from_child) != 0) {
        return 2;
    }
    const size_t room = (size_t)number(4) * sizeof(long long[3]);
    long long(*const cycles)[3] = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    signals = mmap(NULL, sizeof *signals, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const struct sigaction on = {.sa_handler = handler};
    (void)sigaction(SIGUSR1, &on, NULL);
    srandom((unsigned)now());
    const pid_t interrupter = fork();
    if (interrupter == 0) {
        child();
    }
    cpu_set_t cpu;
    CPU_ZERO(&cpu);
    CPU_SET((size_t)number(1), &cpu);
    const struct sched_param priority = {.sched_priority = (int)number(2)};
    if (interrupter < 0 || sched_setaffinity(0, sizeof cpu, &cpu) != 0 ||
        sched_setscheduler(0, SCHED_FIFO, &priority) != 0) {
        return 3;
    }
    (void)mlockall(MCL_CURRENT | MCL_FUTURE);
    (void)prctl(PR_SET_NAME, words[5]);
    if (read(STDIN_FILENO, &byte, 1) != 1) {
        return 4;
    }
    long long due = now();
    long long had = own_time();
    for (long long i = 0; i < number(4); i++) {
        due += number(3) * (1 + (now() - due) / number(3));
        due = sleep_until(due);
        if (i > 0) {
            cycles[i - 1][2] = own_time() - had;
        }
        work(WORK_NS);
        if (i % 10 == 5 && is(7, "answer")) {
            await_answer();
        } else if (i % 10 == 5 && !is(7, "none")) {
            (void)!write(to_child[1], "", 1);
        }
        cycles[i][0] = due;
        cycles[i][1] = now();
        had = own_time();
    }
    (void)close(to_child[1]);
    (void)waitpid(interrupter, NULL, 0);
    (void)printf("{\"cycles\":[");
    for (long long i = 0; i < number(4); i++) {
        (void)printf("%s[%lld,%lld,%lld]", i == 0 ? "" : ",", cycles[i][0], cycles[i][1], cycles[i][2]);
    }
    (void)printf("],\"signals\":[");
    for (int i = 0; i < signals->count; i++) {
        (void)printf("%s%lld", i == 0 ? "" : ",", signals->sent[i]);
    }
    (void)printf("]}\n");
    return fflush(stdout);
}
