/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The timer's wake-up latency by a loop that sleeps, reads the clock and stores the difference, and does nothing else. Linked statically and
 * dynamically, it shows how much of the difference between two tools comes from their linking.
 *
 * Usage: bare_loop CPU PRIORITY PERIOD_NS SAMPLES. Prints the median (ns).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000

static long period;
static size_t samples;
static int64_t *late;

static void fail(const char *what)
{
    perror(what);
    exit(3);
}

static void *loop(void *unused)
{
    (void)unused;
    struct timespec due;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &due);
    for (size_t i = 0; i < samples; i++) {
        due.tv_nsec += period;
        while (due.tv_nsec >= NS_PER_S) {
            due.tv_nsec -= NS_PER_S;
            due.tv_sec++;
        }
        (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
        clock_gettime(CLOCK_MONOTONIC, &now);
        late[i] = (int64_t)(now.tv_sec - due.tv_sec) * NS_PER_S + (now.tv_nsec - due.tv_nsec);
    }
    return NULL;
}

static int compare(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    if (argc != 5) {
        fputs("usage: bare_loop CPU PRIORITY PERIOD_NS SAMPLES\n", stderr);
        return 2;
    }
    period = strtol(argv[3], NULL, 10);
    samples = strtoul(argv[4], NULL, 10);
    late = calloc(samples, sizeof *late);
    if (samples == 0 || late == NULL || mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
        fail("memory");
    }
    const int awake = open("/dev/cpu_dma_latency", O_WRONLY);
    const int32_t latency_us = 0;
    if (awake >= 0 && write(awake, &latency_us, sizeof latency_us) != (ssize_t)sizeof latency_us) {
        fail("/dev/cpu_dma_latency"); /* where there is none, the others do without as well */
    }
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET(strtoul(argv[1], NULL, 10), &cpus);
    const struct sched_param param = {.sched_priority = (int)strtol(argv[2], NULL, 10)};
    pthread_attr_t attr;
    pthread_t thread;
    pthread_attr_init(&attr);
    pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
    pthread_attr_setschedparam(&attr, &param);
    pthread_attr_setaffinity_np(&attr, sizeof cpus, &cpus);
    if (pthread_create(&thread, &attr, loop, NULL) != 0 || pthread_join(thread, NULL) != 0) {
        fail("pthread_create");
    }
    qsort(late, samples, sizeof *late, compare);
    printf("%lld\n", (long long)late[samples / 2]);
    return 0;
}
