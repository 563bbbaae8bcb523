/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's own boundaries of a wake-up, from BPF programs on its tracepoints. bpf/split.c has them; bpf/absent.c states why there are none.
 * The first call of rts_system_split (system.h) loads the programs into the kernel. Call nothing here unless it returned RTS_OK.
 */
#ifndef RTSTONE_LINUX_SPLIT_H
#define RTSTONE_LINUX_SPLIT_H

#include "../system.h"
#include "rtstone/measurement.h"
#include "split_join.h"

/** What the programs cost, over the whole system, while the kernel timed them. */
typedef struct rts_split_cost {
    uint64_t runs; /**< how often any of them ran */
    uint64_t ns;   /**< how long they took together */
} rts_split_cost;

/** Makes the calling thread the measured one. Call it while the programs are attached: they learn the thread when it next waits. */
rts_status rts_linux_split_watch(void);

/** True once the programs have learned the thread. */
bool rts_linux_split_watched(void);

/** Attaches the programs to their tracepoints, or detaches them. */
rts_status rts_linux_split_attach(bool on);

/** Makes the programs look for the expiry that is due at `due`. */
void rts_linux_split_arm(rts_ticks due);

/** Makes the programs look for no expiry. */
void rts_linux_split_disarm(void);

/** Hands over all events so far; false if the ring is broken. */
bool rts_linux_split_take(rts_split_join *join);

/** The last wake-up that the kernel recorded, which may be under way; its sequence is that of the last event. */
rts_split_event rts_linux_split_flight(void);

/** So many entries into a handler are kept, the newest. */
enum { RTS_SPLIT_ENTRIES = 64 };

/**
 * From the next attaching on, only stamps each entry into the handler of an interrupt (-1: of none). `driver`: the name of the handler, as the
 * kernel lists it. An entry that the handler answers with "not my device" does not count; a handler in a thread cannot give that answer.
 */
void rts_linux_split_line(int32_t number, const char *driver);

/** How often that handler was entered since the programs were loaded. */
uint64_t rts_linux_split_entries(void);

/** When the handler was entered, by the number of the entry (from 0), of the last RTS_SPLIT_ENTRIES. CLOCK_MONOTONIC. */
rts_ticks rts_linux_split_entered(uint64_t number);

/** So many steps before a sample was due are reported too: they show what the CPU was doing. */
enum { RTS_SPLIT_BEFORE = 8 };

/**
 * From the next attaching on, records a CPU's event trail (-1: of no CPU). That slows the programs down. Of a sample that is late by more than
 * `over`, the kernel's stacks are recorded too, if the kernel names its functions. Reads those names: not inside a window.
 */
void rts_linux_split_trail(int32_t cpu, rts_ticks over);

/**
 * The steps of the measured CPU from just before `due` up to `until`, oldest first, the last `room` of them. Returns their number. The kinds: a task
 * was switched to ("switch kworker/1:1H"); an interrupt, a softirq or a timer of the kernel began or ended ("interrupt 24 virtio0-input",
 * "interrupt-end 24", "softirq 3", "softirq-end 3", "timer", "timer-end"); the thread was woken ("waking"). Their value is 0.
 */
size_t rts_linux_split_steps(rts_ticks due, rts_ticks until, rts_event *steps, size_t room);

/** The name of a reason why a thread that can run may not (RTSTONE_SPLIT_BY), as an event trail records it; empty for any other number. */
const char *rts_linux_split_held_by(uint32_t by);

/** Calls of one stack that are reported, the innermost ones. */
enum { RTS_SPLIT_CALLS = 8 };

/**
 * The kernel's stacks of a late sample. "at-timer FUNCTION": the code that the timer's interrupt had interrupted. "at-switch FUNCTION": the code of
 * the previous task when the thread got the CPU. Each lists its calls, innermost first; the word alone stands for user space. Returns the number of
 * calls, at most 2 * RTS_SPLIT_CALLS; 0 for a sample that was not late.
 */
size_t rts_linux_split_stacks(rts_ticks due, rts_event calls[2 * RTS_SPLIT_CALLS]);

/** Stores the measured thread's PID and priority in an event, once the programs have learned the thread. */
void rts_linux_split_name(rts_event *event);

/** Calls of the programs that the kernel left out because one was running on that CPU already. */
uint64_t rts_linux_split_missed(void);

/** Begins or ends timing the programs. RTS_DENIED: the kernel does not permit it. */
rts_status rts_linux_split_time(bool on);

/** The cost of the programs, over the time that they were timed since they were loaded. */
rts_split_cost rts_linux_split_cost(void);

#endif
