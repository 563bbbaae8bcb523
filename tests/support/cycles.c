/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program with a cycle, for tests of `rtstone attach`: CPU PRIORITY PERIOD_NS COUNT NAME PLANT. Once it has read a byte it runs COUNT cycles at
 * absolute times and prints what it planted in them: a JSON list of [begin, end] in ns of CLOCK_MONOTONIC.
 *
 * PLANT: `none`; `run`: now and then it works for some periods; `block`: now and then it waits for the thread h-NAME, which takes its time;
 * `pipe`: that thread wakes it each period, no timer does; `fault`: now and then it touches new pages for some periods; `moved`: now and then that
 * thread moves it to its own CPU, works there, and moves it back; `innocent`: each cycle touches a few new pages, and one that works for some
 * periods moves to the other CPU and back before. With `fault` and `innocent` it skips cycles that were due meanwhile.
 *
 * A virtual CPU can be slow although nothing was planted and its hypervisor reports no stolen time. With `run` and `innocent` the program prints
 * as [end - time, end] the CPU time of each other cycle in which the kernel's clock of the thread counts ten times the usual. A new page can be as
 * slow as the hypervisor's memory: with `innocent` the program prints as [begin, end, "faults"] when its few pages took that long.
 */
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "clocks.h"

#define USUAL_NS 30000ll
#define PAGE 4096u
#define PAGES 32768u
#define FEW 16u

static int to_holder[2];
static int from_holder[2];
static char *const *words;
static volatile char *pages; /* which are not there until they are touched */
static pid_t program;
static cpu_set_t home;
static cpu_set_t elsewhere;

static long long number(int at)
{
    return strtoll(words[at], NULL, 10);
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

static bool is(const char *plant)
{
    return strcmp(words[6], plant) == 0;
}

static void work_until(long long end)
{
    while (now() < end) {
    }
}

/** The holder is above the program, and on another CPU if there is one: the last. */
static void go_elsewhere(void)
{
    const struct sched_param priority = {.sched_priority = 90};
    (void)sched_setaffinity(0, sizeof elsewhere, &elsewhere);
    (void)sched_setscheduler(0, SCHED_FIFO, &priority);
}

/** Moves the program to this CPU, works, and moves it back; prints when. */
static void move_the_program(void)
{
    const char *between = "";
    long long due = now() + number(3) / 2; /* the program sleeps: one that runs goes on there until it is preempted */
    for (long long i = 0; i < number(4) / 40 - 2; i++) {
        due += number(3) * (30 + random() % 20);
        sleep_until(due);
        const long long began = now();
        (void)sched_setaffinity(program, sizeof elsewhere, &elsewhere);
        work_until(began + drawn());
        (void)printf("%s[%lld,%lld]", between, began, now());
        (void)sched_setaffinity(program, sizeof home, &home);
        between = ",";
    }
}

static void *hold(void *nothing)
{
    char name[16];
    char byte = 0;
    (void)snprintf(name, sizeof name, "h-%.12s", words[5]);
    (void)prctl(PR_SET_NAME, name);
    if (!is("none")) {
        go_elsewhere();
    }
    if (is("moved") && read(to_holder[0], &byte, 1) == 1) {
        move_the_program();
    }
    if (is("pipe")) {
        long long due = now();
        for (long long i = 0; i < number(4); i++) {
            due += number(3);
            sleep_until(due);
            (void)!write(from_holder[1], &byte, 1);
        }
    }
    while (read(to_holder[0], &byte, 1) == 1) {
        if (is("fault")) {
            (void)madvise((void *)(uintptr_t)pages, PAGES * PAGE, MADV_DONTNEED);
            continue;
        }
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

static void touch_a_few(void)
{
    (void)madvise((void *)(uintptr_t)pages, FEW * PAGE, MADV_DONTNEED);
    for (unsigned page = 0; page < FEW; page++) {
        pages[page * PAGE] = 1;
    }
}

static void touch_until(long long end)
{
    char byte = 0;
    for (unsigned page = 0; page < PAGES && now() < end; page++) {
        pages[page * PAGE] = 1;
    }
    (void)!write(to_holder[1], &byte, 1);
}

static void print_span(const char **between, long long began)
{
    (void)printf("%s[%lld,%lld]", *between, began, now());
    *between = ",";
}

static void cycle(const char **between)
{
    const long long began = now();
    const long long before = own_time();
    char byte = 0;
    if (is("innocent")) {
        touch_a_few();
        const long long touched = now();
        if (touched - began > 10 * USUAL_NS) {
            (void)printf("%s[%lld,%lld,\"faults\"]", *between, began, touched);
            *between = ",";
        }
    }
    if (is("none") || is("moved") || random() % 40 != 0) {
        work_until(began + USUAL_NS);
        const long long ran = own_time() - before;
        if ((is("run") || is("innocent")) && ran > 10 * USUAL_NS) {
            print_span(between, now() - ran);
        }
        return;
    }
    if (is("run")) {
        work_until(began + drawn());
    } else if (is("fault")) {
        touch_until(began + drawn());
    } else if (is("innocent")) {
        (void)sched_setaffinity(0, sizeof elsewhere, &elsewhere);
        (void)sched_setaffinity(0, sizeof home, &home);
        work_until(began + drawn());
    } else {
        (void)!write(to_holder[1], &byte, 1);
        wait_for_holder();
    }
    print_span(between, began);
}

int main(int count, char *arguments[])
{
    const char *between = "";
    char byte = 0;
    pthread_t holder;
    words = arguments;
    if (count != 7 || pipe(to_holder) != 0 || pipe(from_holder) != 0) {
        return 2;
    }
    program = gettid();
    CPU_ZERO(&home);
    CPU_SET((size_t)number(1), &home);
    (void)sched_getaffinity(0, sizeof elsewhere, &elsewhere);
    if (CPU_COUNT(&elsewhere) > 1) {
        CPU_CLR((size_t)number(1), &elsewhere);
    }
    for (size_t cpu = 0; CPU_COUNT(&elsewhere) > 1; cpu++) {
        CPU_CLR(cpu, &elsewhere);
    }
    pages = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)madvise((void *)(uintptr_t)pages, PAGES * PAGE, MADV_NOHUGEPAGE);
    srandom((unsigned)now());
    (void)setvbuf(stdout, malloc(1u << 20), _IOFBF, 1u << 20);
    if (pthread_create(&holder, NULL, hold, NULL) != 0) {
        return 2;
    }
    const struct sched_param priority = {.sched_priority = (int)number(2)};
    if (sched_setaffinity(0, sizeof home, &home) != 0 ||
        sched_setscheduler(0, priority.sched_priority > 0 ? SCHED_FIFO : SCHED_OTHER, &priority) != 0) {
        return 3;
    }
    (void)mlockall(MCL_CURRENT | MCL_FUTURE);
    (void)munlock((const void *)(uintptr_t)pages, PAGES * PAGE);
    (void)madvise((void *)(uintptr_t)pages, PAGES * PAGE, MADV_DONTNEED);
    (void)prctl(PR_SET_NAME, words[5]);
    if (read(STDIN_FILENO, &byte, 1) != 1) {
        return 4;
    }
    (void)printf("[");
    if (is("moved")) {
        (void)!write(to_holder[1], &byte, 1);
    }
    const bool skips = is("fault") || is("innocent");
    long long due = now();
    for (long long i = 0; i < number(4); i++) {
        if (is("pipe")) {
            wait_for_holder();
        } else {
            due += number(3);
            if (skips && now() > due) {
                continue;
            }
            sleep_until(due);
            cycle(&between);
        }
    }
    if (is("moved")) {
        (void)close(to_holder[1]);
        (void)pthread_join(holder, NULL);
    }
    (void)printf("]\n");
    return fflush(stdout);
}
