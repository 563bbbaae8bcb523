/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Threads with a name, a priority and a CPU, and the clock.
 */
#include "threads.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { NS_PER_S = 1000000000 };

static uint64_t read_clock(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

uint64_t thread_cpu_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

struct timespec timespec_of(uint64_t ns)
{
    return (struct timespec){.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)};
}

void sleep_until(uint64_t ns)
{
    const struct timespec until = timespec_of(ns);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    }
}

void spin_until(uint64_t ns)
{
    while (now_ns() < ns) {
    }
}

void take(sem_t *semaphore)
{
    while (sem_wait(semaphore) != 0) {
    }
}

bool take_until(sem_t *semaphore, uint64_t ns)
{
    const struct timespec until = timespec_of(ns);
    while (sem_clockwait(semaphore, CLOCK_MONOTONIC, &until) != 0) {
        if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

int32_t thread_id(void)
{
    return (int32_t)gettid();
}

/* Which thread has which name. */
enum { THREADS_AT_MOST = 32 };
static struct {
    const char *name;
    int priority, cpu;
    int32_t thread;
} known[THREADS_AT_MOST];
static atomic_uint known_count;

void threads_print(void)
{
    const unsigned count = atomic_load(&known_count);
    printf(",\n\"threads\":[");
    for (unsigned index = 0; index < count && index < THREADS_AT_MOST; ++index) {
        printf("%s\n{\"name\":\"%s\",\"thread\":%" PRId32 ",\"priority\":%d,\"cpu\":%d}", index > 0 ? "," : "",
               known[index].name, known[index].thread, known[index].priority, known[index].cpu);
    }
    printf("]");
}

int thread_become(const char *name, int priority, int cpu)
{
    cpu_set_t cpus;
    CPU_ZERO(&cpus);
    CPU_SET((size_t)cpu, &cpus);
    (void)prctl(PR_SET_NAME, name);
    if (sched_setaffinity(0, sizeof cpus, &cpus) != 0) {
        return errno;
    }
    const struct sched_param param = {.sched_priority = priority};
    if (sched_setscheduler(0, priority > 0 ? SCHED_FIFO : SCHED_OTHER, &param) != 0) {
        return errno;
    }
    const unsigned index = atomic_fetch_add(&known_count, 1);
    if (index < THREADS_AT_MOST) {
        known[index].name = name;
        known[index].priority = priority;
        known[index].cpu = cpu;
        known[index].thread = thread_id();
    }
    return 0;
}

void thread_rest(void)
{
    const struct sched_param param = {.sched_priority = 0};
    (void)sched_setscheduler(0, SCHED_OTHER, &param);
}

/* How a started thread begins, and the starter's wait for how that went. */
typedef struct beginning {
    const char *name;
    int priority, cpu, error;
    void (*body)(void *);
    void *arg;
    sem_t begun;
} beginning;

static void *begin(void *arg)
{
    beginning *const start = arg;
    void (*const body)(void *) = start->body;
    void *const its = start->arg;
    const int error = thread_become(start->name, start->priority, start->cpu);
    start->error = error;
    (void)sem_post(&start->begun); /* *start is gone from here on */
    if (error == 0) {
        body(its);
    }
    return NULL;
}

int thread_start(pthread_t *thread, const char *name, int priority, int cpu, void (*body)(void *), void *arg)
{
    beginning start = {.name = name, .priority = priority, .cpu = cpu, .body = body, .arg = arg};
    (void)sem_init(&start.begun, 0, 0);
    int error = pthread_create(thread, NULL, begin, &start);
    if (error == 0) {
        take(&start.begun);
        error = start.error;
        if (error != 0) {
            (void)pthread_join(*thread, NULL);
        }
    }
    (void)sem_destroy(&start.begun);
    return error;
}

int last_cpu(void)
{
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
        for (int cpu = CPU_SETSIZE - 1; cpu > 0; --cpu) {
            if (CPU_ISSET((size_t)cpu, &cpus)) {
                return cpu;
            }
        }
    }
    return 0;
}

int other_cpu(int cpu)
{
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
        for (int other = 0; other < CPU_SETSIZE; ++other) {
            if (other != cpu && CPU_ISSET((size_t)other, &cpus)) {
                return other;
            }
        }
    }
    return -1;
}

static atomic_int stop_signal;

static void on_signal(int signal)
{
    atomic_store(&stop_signal, signal);
}

bool stop_requested(void)
{
    return atomic_load(&stop_signal) != 0;
}

void stop_on_signals(void)
{
    const struct sigaction action = {.sa_handler = on_signal};
    (void)sigaction(SIGINT, &action, NULL);
    (void)sigaction(SIGTERM, &action, NULL);
}
