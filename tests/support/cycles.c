/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program with a cycle, for tests of `rtstone attach`: CPU PRIORITY PERIOD_NS COUNT NAME PLANT. Once it has read a byte it runs COUNT cycles at
 * absolute times and prints what it planted in them: a JSON list of [begin, end] in ns of CLOCK_MONOTONIC.
 *
 * PLANT: `none`; `run`: now and then it works for some periods; `block`: now and then it waits for the thread holder-NAME, which takes its time;
 * `pipe`: that thread wakes it each period, no timer does.
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000ll
#define USUAL_NS 30000ll

static int to_holder[2];
static int from_holder[2];
static char *const *words;

static long long number(int at)
{
    return strtoll(words[at], NULL, 10);
}

static long long now(void)
{
    struct timespec time;
    (void)clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * SECOND_NS + time.tv_nsec;
}

static void sleep_until(long long due)
{
    const struct timespec time = {.tv_sec = due / SECOND_NS, .tv_nsec = due % SECOND_NS};
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
}

/** Two to five periods. */
static long long drawn(void)
{
    return number(3) * (2000 + random() % 3000) / 1000;
}

/** The holder is above the program, and on other CPUs if there are any. */
static void go_elsewhere(void)
{
    const struct sched_param priority = {.sched_priority = 90};
    cpu_set_t cpus;
    (void)sched_getaffinity(0, sizeof cpus, &cpus);
    if (CPU_COUNT(&cpus) > 1) {
        CPU_CLR((size_t)number(1), &cpus);
        (void)sched_setaffinity(0, sizeof cpus, &cpus);
    }
    (void)sched_setscheduler(0, SCHED_FIFO, &priority);
}

static void *hold(void *nothing)
{
    char name[16];
    char byte = 0;
    (void)snprintf(name, sizeof name, "h-%.12s", words[5]);
    (void)prctl(PR_SET_NAME, name);
    if (strcmp(words[6], "none") != 0) {
        go_elsewhere();
    }
    if (strcmp(words[6], "pipe") == 0) {
        long long due = now();
        for (long long i = 0; i < number(4); i++) {
            due += number(3);
            sleep_until(due);
            (void)!write(from_holder[1], &byte, 1);
        }
    }
    while (read(to_holder[0], &byte, 1) == 1) {
        sleep_until(now() + drawn());
        (void)!write(from_holder[1], &byte, 1);
    }
    return nothing;
}

static void wait_for_holder(void)
{
    char byte = 0;
    (void)!read(from_holder[0], &byte, 1);
}

static void cycle(const char *plant, const char **between)
{
    const long long began = now();
    char byte = 0;
    if (strcmp(plant, "none") == 0 || random() % 40 != 0) {
        while (now() < began + USUAL_NS) {
        }
        return;
    }
    if (strcmp(plant, "run") == 0) {
        const long long end = began + drawn();
        while (now() < end) {
        }
    } else {
        (void)!write(to_holder[1], &byte, 1);
        wait_for_holder();
    }
    (void)printf("%s[%lld,%lld]", *between, began, now());
    *between = ",";
}

int main(int count, char *arguments[])
{
    const char *between = "";
    char byte = 0;
    cpu_set_t cpus;
    pthread_t holder;
    words = arguments;
    if (count != 7 || pipe(to_holder) != 0 || pipe(from_holder) != 0) {
        return 2;
    }
    srandom((unsigned)now());
    (void)setvbuf(stdout, malloc(1u << 20), _IOFBF, 1u << 20);
    if (pthread_create(&holder, NULL, hold, NULL) != 0) {
        return 2;
    }
    CPU_ZERO(&cpus);
    CPU_SET((size_t)number(1), &cpus);
    const struct sched_param priority = {.sched_priority = (int)number(2)};
    if (sched_setaffinity(0, sizeof cpus, &cpus) != 0 ||
        sched_setscheduler(0, priority.sched_priority > 0 ? SCHED_FIFO : SCHED_OTHER, &priority) != 0) {
        return 3;
    }
    (void)mlockall(MCL_CURRENT | MCL_FUTURE);
    (void)prctl(PR_SET_NAME, words[5]);
    if (read(STDIN_FILENO, &byte, 1) != 1) {
        return 4;
    }
    (void)printf("[");
    long long due = now();
    for (long long i = 0; i < number(4); i++) {
        if (strcmp(words[6], "pipe") == 0) {
            wait_for_holder();
        } else {
            due += number(3);
            sleep_until(due);
            cycle(words[6], &between);
        }
    }
    (void)printf("]\n");
    return fflush(stdout);
}
