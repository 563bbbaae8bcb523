/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * Inside the scheduler: the state of a task, and how the files that create tasks and make calls move one.
 */
#ifndef RTSTONE_SIMULATED_TASK_H
#define RTSTONE_SIMULATED_TASK_H

#define _XOPEN_SOURCE 700 /* ucontext.h */

#include <ucontext.h>

#include "kernel.h"

#define SIM_TASKS 40u
#define SIM_LEVELS ((unsigned)RTS_PRIORITY_COUNT)

typedef enum sim_task_state { FREE = 0, READY, RUNNING, WAITING, SLEEPING, DONE } sim_task_state;

/** A task, or a free place for one. */
struct sim_task {
    ucontext_t context;
    unsigned char *stack;
    void (*entry)(void *);
    void *arg;
    struct sim_task *next;     /**< in the ready list or the waiters' list that it is in */
    struct sim_waiters *queue; /**< the waiters' list that it is in */
    struct sim_waiters joiners;
    rts_ticks wake_at, used, quantum_used;
    uint64_t voluntary;
    sim_task_state state;
    unsigned base, level;
    unsigned space;
    unsigned name;  /**< index of its row of counts */
    bool suspended; /**< not to run even when it has nothing to wait for */
    bool time_sharing, is_load;
};

/** All places for tasks. */
extern struct sim_task sim_tasks[SIM_TASKS];
void sim_tasks_reset(void);

/** Makes a task, which is not ready yet; NULL when there are too many. */
struct sim_task *sim_task_new(const rts_thread_attr *attr, void (*entry)(void *), void *arg);

/** Puts a task behind the ready ones of its level, unless it is suspended. */
void sim_make_ready(struct sim_task *task);
/** Takes a ready task out of its list. */
void sim_make_unready(struct sim_task *task);
/** The ready task that is to run next, NULL: there is no ready task. */
struct sim_task *sim_most_urgent(void);
/** Runs whatever is to run next; the caller has been put where it belongs, or is done. */
void sim_dispatch(void);

/** True in the handler of the measured interrupt. */
bool sim_in_isr(void);
/** A fault: no switch until the running task gives up the CPU. */
void sim_hold(void);

/** Index of the counts of threads of this name, which many threads may have one after the other. */
unsigned sim_counted_name(const char *name);
void sim_calls_reset(void);

#endif
