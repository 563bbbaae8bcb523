/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Threads with a name, a priority and a CPU; the clock that everything here is timed by: CLOCK_MONOTONIC in ns.
 */
#ifndef RTSTONE_EXAMPLE_THREADS_H
#define RTSTONE_EXAMPLE_THREADS_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/** CLOCK_MONOTONIC, in ns. */
uint64_t now_ns(void);

/** CPU time of the calling thread, in ns. */
uint64_t thread_cpu_ns(void);

/** ns as a timespec. */
struct timespec timespec_of(uint64_t ns);

/** Sleeps until a time of CLOCK_MONOTONIC, through any signal. */
void sleep_until(uint64_t ns);

/** Computes until a time of CLOCK_MONOTONIC. */
void spin_until(uint64_t ns);

/** Waits for a semaphore, through any signal. */
void take(sem_t *semaphore);

/** Waits for a semaphore until a time of CLOCK_MONOTONIC, through any signal. True: the semaphore was posted. */
bool take_until(sem_t *semaphore, uint64_t ns);

/** The calling thread's number, as /proc and tracers show it. */
int32_t thread_id(void);

/**
 * Names the calling thread (at most 15 bytes), binds it to a CPU, and gives it SCHED_FIFO at a priority, or SCHED_OTHER at
 * priority 0. Returns 0, or the error of the first call that failed.
 */
int thread_become(const char *name, int priority, int cpu);

/** Gives the calling thread SCHED_OTHER again, whatever it was. */
void thread_rest(void);

/** Starts a thread that becomes that first. Returns 0 or an error of pthread_create. The name must outlive the thread. */
int thread_start(pthread_t *thread, const char *name, int priority, int cpu, void (*body)(void *), void *arg);

/** Prints the threads that thread_become named in this process, as the member "threads" of a JSON object. */
void threads_print(void);

/** The last CPU that this process may use. */
int last_cpu(void);

/** A CPU that this process may use other than the given one, or -1. */
int other_cpu(int cpu);

/** Set by SIGINT and SIGTERM once stop_on_signals was called. */
bool stop_requested(void);
void stop_on_signals(void);

#endif
