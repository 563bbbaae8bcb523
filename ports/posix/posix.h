/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this port share with each other; nothing outside this folder includes it.
 */
#ifndef RTSTONE_POSIX_H
#define RTSTONE_POSIX_H

#include "system.h"

/* Native priorities (SCHED_FIFO). The handler stands above the task that it wakes; 99 is left to the kernel's own threads. */
enum {
    RTS_POSIX_PRIORITY_LOW = 60,
    RTS_POSIX_PRIORITY_MIDDLE = 70,
    RTS_POSIX_PRIORITY_HIGH = 80,
    RTS_POSIX_PRIORITY_TOP = 90,
    RTS_POSIX_PRIORITY_HANDLER = RTS_SYSTEM_PRIORITY
};

/** Stack of every thread that the port makes; small, because all of it is locked in memory. */
#if defined(__SANITIZE_ADDRESS__)
#define RTS_POSIX_STACK_BYTES ((size_t)512 * 1024)
#else
#define RTS_POSIX_STACK_BYTES ((size_t)128 * 1024) /* no smaller on aarch64: PTHREAD_STACK_MIN */
#endif

/** Chooses the run's clock: the best that there is. Call it once, before the first reading and before any thread. */
void rts_posix_clock_init(void);

/**
 * Makes another clock the run's, by its name in `rtstone run --clock`: "counter" or the counter's own name, a system's clock, or a clock that is
 * a device. Call it after rts_posix_clock_init, under the same conditions. RTS_INVALID: no clock has that name; RTS_UNSUPPORTED: it is not
 * available here, or not trustworthy; RTS_DENIED. `why` has the reason, a constant.
 */
rts_status rts_posix_clock_choose(const char *name, const char **why);

/** A name that rts_posix_clock_choose knows, by index, and a description of the clock; NULL after the last. Choosing a clock shows whether it is available. */
const char *rts_posix_clock_name(size_t index, const char **summary);

/** The name of the clock that was chosen so; NULL: none was. */
const char *rts_posix_clock_chosen(void);

/** True when SCHED_FIFO is allowed up to the handler's priority; asked once. */
bool rts_posix_realtime(void);

/** True when all memory of the engine is locked. */
bool rts_posix_locked(void);

/** Where records go; standard output until it is called. A program that is more than the engine keeps its own. */
void rts_posix_records_to(int descriptor);

/** Restores the signal handlers that stood before rts_posix_signals(false). Not while a run goes on. */
void rts_posix_signals_restore(void);

/** Reports facts of the program that contains the engine, if the engine is not a program of its own; NULL: it is. */
extern void (*rts_posix_describe_also)(rts_fact_fn fact, void *arg);

/** What a fatal error does in a program that is more than the engine, instead of ending it; it must not return. NULL: nothing, the program ends. */
extern void (*rts_posix_fatal_instead)(const char *why);

/** Takes what a run needs, once: describe and prepare both call it, so that either may come first. */
void rts_posix_take(void);

/** True when the object lies in memory that processes of the engine share. */
bool rts_posix_is_shared(const void *object);

/** Makes a thread at a native priority (0: SCHED_OTHER). thread->entry, arg and cpu are set already. */
rts_status rts_posix_thread_start(struct rts_thread *thread, int native);

/** CPU that the calling thread is pinned to, or RTS_CPU_ANY. */
int32_t rts_posix_pinned(void);
void rts_posix_set_pinned(int32_t cpu);

/** What a CPU-time clock shows. */
rts_status rts_posix_cpu_ns(clockid_t clock, uint64_t *ns);

/** Called by a thread at its end: keeps what it used by that clock, if anybody will ask. */
void rts_posix_note_cpu(struct rts_thread *self, clockid_t clock);

rts_status rts_posix_process_start(struct rts_thread *thread, int native);

extern const rts_timer_source rts_posix_nanosleep;

/** The default source of the measured interrupt: two threads that sleep so alternately. */
#define RTS_POSIX_TIMER_PAIR "nanosleep-pair"

/** True if a source of that name, or "default", exists. */
bool rts_posix_timer_known(const char *name);

/**
 * Lets a probe module's handler answer the measured interrupt. Call it after rts_posix_clock_init, before any thread that measures. On
 * failure `why` is one sentence.
 */
rts_status rts_posix_probe_init(const char *device, const char **why);

/** Gives the module back, for a program that does not measure all the time; it may be had again by another rts_posix_probe_init. */
void rts_posix_probe_release(void);

/** True when a probe module answers the measured interrupt. */
bool rts_posix_probe(void);

/** The signal that wakes the handler thread so that it can end. */
#define RTS_POSIX_SIGNAL_WAKE SIGUSR2
/** The signal by which a process of the engine makes the engine end with RTS_EXIT_FAILED. */
#define RTS_POSIX_SIGNAL_FATAL SIGUSR1

/** Installs the port's signal handlers; `child`: those of a measured process. */
void rts_posix_signals(bool child);

/** Whether each item waits for a line behind the plan, after a line "@item NUMBER" that asks for it. */
void rts_posix_gated(bool wanted);

/** Where the plan comes from: a descriptor (≥ 0), or a text in memory (which must live on), or nothing (-1 and NULL). */
void rts_posix_plan_from(int descriptor, const char *text, size_t bytes);

#endif
