/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Measures one switch between two threads on one CPU in three ways, interleaved: by a semaphore of this process, by a semaphore that
 * processes may share, and by a pipe. Shows how much of the difference between two tools comes from the service that they switch by.
 *
 * Usage: bench_ways CPU PRIORITY PASSES ROUNDS. Prints a line a round: ns a switch by each, in this order.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/** What two threads pass back and forth. */
typedef struct way {
    void (*give)(struct way *, int side);
    void (*take)(struct way *, int side);
    sem_t *semaphore; /**< two of them */
    int pipe[2][2];
} way;

static long passes;

static void fail(const char *what)
{
    perror(what);
    exit(3);
}

static void give_semaphore(way *by, int side)
{
    if (sem_post(&by->semaphore[side]) != 0) {
        fail("sem_post");
    }
}

static void take_semaphore(way *by, int side)
{
    if (sem_wait(&by->semaphore[side]) != 0) {
        fail("sem_wait");
    }
}

static void give_pipe(way *by, int side)
{
    const int word = 1;
    if (write(by->pipe[side][1], &word, sizeof word) != (ssize_t)sizeof word) {
        fail("write");
    }
}

static void take_pipe(way *by, int side)
{
    int word;
    if (read(by->pipe[side][0], &word, sizeof word) != (ssize_t)sizeof word) {
        fail("read");
    }
}

static void *answer(void *arg)
{
    way *by = arg;
    for (long i = 0; i <= passes; i++) {
        by->take(by, 0);
        by->give(by, 1);
    }
    return NULL;
}

/** Nanoseconds a switch; a pass is two of them. The first, with both threads still new, is not timed. */
static double round_of(way *by)
{
    pthread_t other;
    struct timespec begin;
    struct timespec end;
    if (pthread_create(&other, NULL, answer, by) != 0) {
        fail("pthread_create");
    }
    by->give(by, 0);
    by->take(by, 1);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (long i = 0; i < passes; i++) {
        by->give(by, 0);
        by->take(by, 1);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    (void)pthread_join(other, NULL);
    const double ns = (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
    return ns / (2.0 * (double)passes);
}

static void open_semaphores(way *by, sem_t *two, int shared)
{
    by->give = give_semaphore;
    by->take = take_semaphore;
    by->semaphore = two;
    if (sem_init(&two[0], shared, 0) != 0 || sem_init(&two[1], shared, 0) != 0) {
        fail("sem_init");
    }
}

int main(int argc, char **argv)
{
    static sem_t own[2];
    static way ways[3];
    if (argc != 5) {
        fputs("usage: bench_ways CPU PRIORITY PASSES ROUNDS\n", stderr);
        return 2;
    }
    passes = strtol(argv[3], NULL, 10);
    const long rounds = strtol(argv[4], NULL, 10);
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(strtoul(argv[1], NULL, 10), &cpus);
    const struct sched_param param = {.sched_priority = (int)strtol(argv[2], NULL, 10)};
    if (sched_setaffinity(0, sizeof cpus, &cpus) != 0 || sched_setscheduler(0, SCHED_FIFO, &param) != 0) {
        fail("sched_setscheduler");
    }
    void *const memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    if (memory == MAP_FAILED || mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        fail("memory");
    }
    open_semaphores(&ways[0], own, 0);
    open_semaphores(&ways[1], memory, 1);
    ways[2].give = give_pipe;
    ways[2].take = take_pipe;
    if (pipe(ways[2].pipe[0]) != 0 || pipe(ways[2].pipe[1]) != 0) {
        fail("pipe");
    }
    for (long i = 0; i < rounds; i++) {
        const double first = round_of(&ways[0]);
        const double second = round_of(&ways[1]);
        const double third = round_of(&ways[2]);
        printf("%.1f %.1f %.1f\n", first, second, third);
    }
    return 0;
}
