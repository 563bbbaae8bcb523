/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * A SCHED_FIFO loop that a timer wakes, for others to watch, and on each CPU a hog of SCHED_IDLE that sums up the time it loses: it reads the
 * clock without end, and something else had its CPU wherever two readings lie more than GAP_NS apart. The loop does nothing else, so each cycle
 * is two context switches: to the loop and back to the hog.
 *
 * It counts time, not work: the speed of a virtual CPU changes by a fifth, with the programs that run beside it on the same core.
 *
 * Usage: load CPU PRIORITY NAME: the loop's CPU, priority and thread name. For each line "PERIOD_NS SETTLE_MS WINDOW_MS" on standard input the
 * loop takes this period. SETTLE_MS later a window begins. At its end one line comes: its length in ns, the loop's cycles in it, and for each
 * CPU its number and the time in ns that its hog has lost in the window.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define NS_PER_S 1000000000
#define NS_PER_MS 1000000

enum {
    CPUS_AT_MOST = 1024,
    GAP_NS =
        400, /* two readings without anything between them take some 50 ns, the shortest interrupt more than 1 µs */
};

typedef struct hog {
    _Alignas(128) atomic_uint_fast64_t lost_ns;
    atomic_uint_fast64_t read_ns; /* the last reading */
    int cpu;
    pthread_t thread;
} hog;

static atomic_uint_fast64_t period_ns = NS_PER_S / 100;
static atomic_uint_fast64_t cycles;
static hog *hogs[CPUS_AT_MOST];
static unsigned hog_count;

static void require(int error, const char *what)
{
    if (error != 0) {
        (void)fprintf(stderr, "load: %s failed (%d)\n", what, error);
        exit(3);
    }
}

static uint64_t read_ns(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static void sleep_until(uint64_t due_ns)
{
    const struct timespec due = {.tv_sec = (time_t)(due_ns / NS_PER_S), .tv_nsec = (long)(due_ns % NS_PER_S)};
    (void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
}

static void run_on(int cpu)
{
    cpu_set_t only;
    CPU_ZERO(&only);
    CPU_SET(cpu, &only);
    require(pthread_setaffinity_np(pthread_self(), sizeof only, &only), "pthread_setaffinity_np");
}

static void *loop(void *cpu)
{
    run_on(*(const int *)cpu);
    uint64_t due_ns = read_ns(CLOCK_MONOTONIC);
    for (;;) {
        const uint64_t period = atomic_load(&period_ns);
        due_ns += period;
        sleep_until(due_ns);
        const uint64_t now = read_ns(CLOCK_MONOTONIC);
        if (now > due_ns + period) { /* skip what has passed */
            due_ns += (now - due_ns) / period * period;
        }
        atomic_fetch_add(&cycles, 1);
    }
    return NULL;
}

static void *sum_up(void *arg)
{
    hog *const of = arg;
    run_on(of->cpu);
    const struct sched_param none = {.sched_priority = 0};
    require(sched_setscheduler(0, SCHED_IDLE, &none), "SCHED_IDLE");
    for (;;) {
        const uint64_t now = read_ns(CLOCK_MONOTONIC);
        const uint64_t gap = now - atomic_load_explicit(&of->read_ns, memory_order_relaxed);
        if (gap > GAP_NS) {
            atomic_store_explicit(&of->lost_ns, atomic_load_explicit(&of->lost_ns, memory_order_relaxed) + gap,
                                  memory_order_relaxed);
        }
        atomic_store_explicit(&of->read_ns, now, memory_order_release);
    }
    return NULL;
}

static void add_hog(int cpu)
{
    hog *const new = aligned_alloc(128, sizeof *new);
    require(new == NULL, "aligned_alloc");
    *new = (hog){.read_ns = read_ns(CLOCK_MONOTONIC), .cpu = cpu};
    require(pthread_create(&new->thread, NULL, sum_up, new), "pthread_create");
    hogs[hog_count++] = new;
}

static void start_loop(int *cpu, int priority, const char *name)
{
    const struct sched_param urgent = {.sched_priority = priority};
    pthread_attr_t attr;
    pthread_t thread;
    (void)pthread_attr_init(&attr);
    require(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED), "pthread_attr_setinheritsched");
    require(pthread_attr_setschedpolicy(&attr, SCHED_FIFO), "SCHED_FIFO");
    require(pthread_attr_setschedparam(&attr, &urgent), "the loop's priority");
    require(pthread_create(&thread, &attr, loop, cpu), "a thread of SCHED_FIFO");
    require(pthread_setname_np(thread, name), "pthread_setname_np");
}

/* The time (ns) that a hog has lost until now, with the time that it is losing. */
static uint64_t lost_until(hog *of, uint64_t now_ns)
{
    const uint64_t read = atomic_load_explicit(&of->read_ns, memory_order_acquire);
    const uint64_t gap = now_ns > read ? now_ns - read : 0;
    return atomic_load_explicit(&of->lost_ns, memory_order_relaxed) + (gap > GAP_NS ? gap : 0);
}

static void print_window(uint64_t settle_ms, uint64_t window_ms)
{
    static uint64_t before[CPUS_AT_MOST];
    sleep_until(read_ns(CLOCK_MONOTONIC) + settle_ms * NS_PER_MS);
    const uint64_t begin_ns = read_ns(CLOCK_MONOTONIC);
    const uint64_t run = atomic_load(&cycles);
    for (unsigned i = 0; i < hog_count; i++) {
        before[i] = lost_until(hogs[i], begin_ns);
    }
    sleep_until(begin_ns + window_ms * NS_PER_MS);
    const uint64_t end_ns = read_ns(CLOCK_MONOTONIC);
    printf("%" PRIu64 " %" PRIu64, end_ns - begin_ns, atomic_load(&cycles) - run);
    for (unsigned i = 0; i < hog_count; i++) {
        printf(" %d %" PRIu64, hogs[i]->cpu, lost_until(hogs[i], end_ns) - before[i]);
    }
    printf("\n");
    (void)fflush(stdout);
}

int main(int argc, char *argv[])
{
    if (argc != 4) {
        (void)fputs("usage: load CPU PRIORITY NAME\n", stderr);
        return 2;
    }
    static int cpu;
    cpu = atoi(argv[1]);
    const int priority = atoi(argv[2]);
    cpu_set_t allowed;
    require(sched_getaffinity(0, sizeof allowed, &allowed), "sched_getaffinity");
    require(mlockall(MCL_CURRENT | MCL_FUTURE), "mlockall");
    for (int i = 0; i < CPUS_AT_MOST; i++) {
        if (CPU_ISSET(i, &allowed)) {
            add_hog(i);
        }
    }
    start_loop(&cpu, priority, argv[3]);
    const struct sched_param above = {.sched_priority = priority + 1}; /* or a window would end when the hogs let it */
    require(sched_setscheduler(0, SCHED_FIFO, &above), "SCHED_FIFO");
    uint64_t period;
    uint64_t settle_ms;
    uint64_t window_ms;
    while (scanf("%" SCNu64 " %" SCNu64 " %" SCNu64, &period, &settle_ms, &window_ms) == 3 && period > 0) {
        atomic_store(&period_ns, period);
        print_window(settle_ms, window_ms);
    }
    return 0;
}
