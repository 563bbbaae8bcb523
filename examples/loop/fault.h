/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The contract of a fault that is planted: its work, its thread, and the figures that it records.
 */
#ifndef RTSTONE_EXAMPLE_FAULT_H
#define RTSTONE_EXAMPLE_FAULT_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { DETAILS_AT_MOST = 4 };

struct settings;

/** How far a planted fault has come. */
typedef enum plant_state { PLANTED, BEGUN, DONE } plant_state;

/** One planted fault: drawn before the run, then filled in by the thread that carries it out. All times are CLOCK_MONOTONIC in ns. */
typedef struct plant {
    const struct fault *fault;
    uint64_t cycle;    /* the cycle that it is to hit */
    uint64_t drawn_ns; /* its length as drawn */
    uint64_t lead_ns;  /* how long before the cycle's due time it is to begin; 0 for a fault within the cycle */
    uint64_t start_ns, end_ns;
    uint64_t details[DETAILS_AT_MOST]; /* as fault.details names them */
    int32_t thread;                    /* who carried it out */
    _Atomic int state;                 /* a plant_state */
} plant;

typedef struct fault {
    const char *name;
    const char *summary;                  /* a line of --help */
    const char *details[DETAILS_AT_MOST]; /* names of the figures that it records */
    const char *thread;                   /* the name of the thread that calls outside(), or NULL */
    int above;                            /* that thread's priority relative to the loop's */
    int priority_min;                     /* the least priority of the loop with which it can be planted */
    bool by_process;                      /* another process calls outside(): the one that started the loop */
    /** Before the run: makes what it needs. Returns 0, or an error of the system with a text in *why. NULL: nothing. */
    int (*prepare)(const struct settings *from, const char **why);
    /** In a thread of its own, at the cycle's due time less lead_ns. */
    void (*outside)(plant *planted);
    /** In the cycle itself. False: it cannot begin yet, ask in the next cycle. */
    bool (*inside)(plant *planted);
    /** After the last cycle: lets its threads end. */
    void (*finish)(void);
} fault;

/** The fault of a name, or NULL. */
const fault *fault_find(const char *name);

/** All faults, in the order of --help; NULL behind the last. */
const fault *fault_at(uint32_t index);

/** Stamps the beginning: who carries it out, and now. */
void plant_begin(plant *planted);

/** Stamps the end, with now. */
void plant_end(plant *planted);

/** A thread that does a part of a fault whenever it is asked to. One request at a time. */
typedef struct helper {
    void (*work)(plant *planted);
    plant *planted; /* the last request */
    sem_t asked;
    atomic_bool over;
    pthread_t thread;
} helper;

/** Starts the thread; name, priority and cpu as in thread_start, whose errors it returns. */
int helper_start(helper *of, const char *name, int priority, int cpu, void (*work)(plant *planted));

/** Asks the thread to do its work for a fault. */
void helper_ask(helper *of, plant *planted);

/** Ends the thread once its work is done, and waits for that. */
void helper_end(helper *of);

#endif
