/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The script of a simulation: the cost of each service, the times of interrupts, the faults; and the way to run it.
 *
 * Time is virtual. It passes only in service calls, clock readings and context switches, by the ticks in the script,
 * and while no task can run. So every latency can be worked out by hand, and two runs are the same to the byte.
 */
#ifndef RTSTONE_SIMULATED_H
#define RTSTONE_SIMULATED_H

#include "rtstone/types.h"

/** The calls whose cost and number are known. The last three are not services but what a kernel does between them. */
typedef enum sim_call {
    SIM_CLOCK_READ = 0,
    SIM_THREAD_CREATE,
    SIM_THREAD_JOIN,
    SIM_YIELD,
    SIM_SUSPEND,
    SIM_SUSPEND_SELF,
    SIM_RESUME,
    SIM_TAKE,
    SIM_GIVE,
    SIM_GIVE_ISR,
    SIM_LOCK,
    SIM_UNLOCK,
    SIM_SEND,
    SIM_SEND_URGENT,
    SIM_RECEIVE,
    SIM_ALLOC,
    SIM_FREE,
    SIM_CACHE_FLUSH,
    SIM_THREAD_EXIT,    /**< from the return of a task's entry to its end */
    SIM_SWITCH,         /**< from one task, or from idling, to the next */
    SIM_PROCESS_SWITCH, /**< beside SIM_SWITCH, when the address space is another one */
    SIM_CALL_COUNT
} sim_call;

/** What can go wrong. */
typedef enum sim_fault_kind {
    SIM_FAULT_NONE = 0,
    SIM_FAULT_FAIL,      /**< does nothing and returns RTS_FAILED */
    SIM_FAULT_LOST,      /**< does nothing and returns RTS_OK */
    SIM_FAULT_NO_SWITCH, /**< does its work, but no other task runs until this one waits, or yields without this fault */
    SIM_FAULT_REORDER,   /**< a queue puts the message at the other end */
    SIM_FAULT_FREE       /**< costs no time */
} sim_fault_kind;

/** Which calls a fault befalls: those of `thread` (NULL: of any), from its `from`-th on (the first is 1), every `every`-th. */
typedef struct sim_fault {
    sim_fault_kind kind;
    sim_call call;
    const char *thread;
    uint64_t from;
    uint64_t every; /**< 0: only the `from`-th */
} sim_fault;

#define SIM_FAULTS_MAX 4u

/** A simulation. */
typedef struct sim_script {
    const char *name;
    const char *summary;
    uint64_t hz;
    uint32_t cost[SIM_CALL_COUNT]; /**< ticks */
    /** Every tail_every-th call of tail_call costs tail_cost more; 0: none does. */
    sim_call tail_call;
    uint32_t tail_every;
    uint32_t tail_cost;
    /** How late the n-th interrupt of a timer is, in ticks, over and over; negative: early. None: 0. */
    const int64_t *latencies;
    uint32_t latency_count;
    const char *entered;    /**< where its handler's reading is taken (RTS_ENTERED_…); NULL: in a handler */
    uint32_t timer_divider; /**< 0 or 1: the timer counts on the run's clock; n: on a clock of its own at hz / n */
    uint32_t load_step;     /**< ticks that one clock reading of a thread at RTS_PRIORITY_LOAD takes */
    uint32_t quantum;     /**< ticks that a time-sharing thread runs while others of its kind are ready; 0: for ever */
    uint32_t unsupported; /**< bits of rts_service */
    uint32_t denied;      /**< bits of rts_service */
    bool barging;         /**< a given semaphore is not handed to its waiter: whoever comes first takes it */
    bool urgent_fifo;     /**< urgent messages keep their order among themselves, before all others */
    bool no_inheritance;  /**< mutexes say that they inherit priorities but do not */
    rts_ticks duty_run;
    rts_ticks duty_rest;
    rts_ticks interrupt_at; /**< rts_port_interrupted is true from here on; 0: never */
    sim_fault faults[SIM_FAULTS_MAX];
} sim_script;

/** The built-in scripts, and one of them by its name (NULL: there is no such script). */
extern const sim_script sim_scripts[];
extern const size_t sim_script_count;
const sim_script *sim_script_find(const char *name);

/** Where a simulation's bytes come from and go to. */
typedef struct sim_io {
    long (*read)(void *arg, char *buffer, size_t room); /**< as rts_port_plan_read */
    rts_status (*write)(void *arg, const char *bytes, size_t count);
    void *arg;
} sim_io;

/** How a simulation ended. */
typedef struct sim_outcome {
    int exit_code;
    const char *fatal; /**< the argument of rts_port_fatal, for a deadlock too; NULL: it was not called */
    rts_ticks now;     /**< the virtual time at the end */
} sim_outcome;

/**
 * Runs entry(arg), which is the engine or a test of the simulation itself, in the simulated kernel. The script must outlive the call.
 * A deadlock, or a call that only a broken program makes (an interrupt handler that blocks), ends it by rts_port_fatal.
 */
sim_outcome sim_run(const sim_script *script, const sim_io *io, int (*entry)(void *), void *arg);

/** How often threads of this name made this call in the last simulation ("engine", "isr", NULL: all of them). */
uint64_t sim_calls(const char *thread, sim_call call);

/** How often a thread was switched to in the last simulation. */
uint64_t sim_switches(void);

/** How often the timer's handler was called in the last simulation. */
uint64_t sim_interrupts(void);

#endif
