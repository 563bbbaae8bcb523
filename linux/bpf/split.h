/*
 * SPDX-FileCopyrightText: 2026 rtstone contributors
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel's own boundaries of a wake-up, from BPF programs on its tracepoints; bpf/split.c has them, bpf/absent.c says why not.
 * rts_system_split (system.h) brings the programs into the kernel, at its first call; nothing here may be called unless it is RTS_OK.
 */
#ifndef RTSTONE_LINUX_SPLIT_H
#define RTSTONE_LINUX_SPLIT_H

#include "../system.h"
#include "rtstone/measurement.h"
#include "split_join.h"

/** What the programs cost, over the whole system, while it was looked at. */
typedef struct rts_split_cost {
    uint64_t runs; /**< how often any of them ran */
    uint64_t ns;   /**< how long they took together */
} rts_split_cost;

/** The calling thread is the measured one from now on. Call it while attached: the programs learn it when it next waits. */
rts_status rts_linux_split_watch(void);

/** True once the programs know it. */
bool rts_linux_split_watched(void);

/** Attaches the programs to their tracepoints, or takes them off. */
rts_status rts_linux_split_attach(bool on);

/** The expiry that is looked for from now on. */
void rts_linux_split_arm(rts_ticks due);

/** Looks for no expiry. */
void rts_linux_split_disarm(void);

/** Hands over every event that has come; false if the ring is broken. */
bool rts_linux_split_take(rts_split_join *join);

/** The wake-up that the kernel was last at; its sequence is that of the last event. */
rts_split_event rts_linux_split_flight(void);

/** So many steps before a sample was due are told too: they say what the CPU was at. */
enum { RTS_SPLIT_BEFORE = 8 };

/**
 * Keeps a CPU's trail from the next attaching on; -1: none. It makes the programs dearer. Of a sample that is late by more than `over` the kernel's
 * stacks are kept too, where the kernel names its functions. Reads those names: not inside a window.
 */
void rts_linux_split_trail(int32_t cpu, rts_ticks over);

/**
 * What the measured CPU did from just before `due` up to `until`, oldest first, the last `room` steps of it. Returns how many there are. A task was
 * switched to ("switch kworker/1:1H"); an interrupt, a softirq or a timer of the kernel began or ended ("interrupt 24 virtio0-input",
 * "interrupt-end 24", "softirq 3", "softirq-end 3", "timer", "timer-end"); the thread was woken ("waking"). Their value is 0.
 */
size_t rts_linux_split_steps(rts_ticks due, rts_ticks until, rts_event *steps, size_t room);

/** Calls of one stack that are told, the innermost ones. */
enum { RTS_SPLIT_CALLS = 8 };

/**
 * Where the kernel was when the late sample's timer expired ("at-timer FUNCTION": what its interrupt had interrupted), and when the thread got the
 * CPU ("at-switch FUNCTION": what the task before it was at). The calls of each, the innermost first; a word alone is user space. Returns how many
 * there are, at most 2 * RTS_SPLIT_CALLS; 0 for a sample that was not late.
 */
size_t rts_linux_split_stacks(rts_ticks due, rts_event calls[2 * RTS_SPLIT_CALLS]);

/** Says of an event which the measured thread is, by its PID and priority, once the programs know it. */
void rts_linux_split_name(rts_event *event);

/** Calls of the programs that the kernel left out because one was running on that CPU already. */
uint64_t rts_linux_split_missed(void);

/** Begins or ends to time the programs. RTS_DENIED: the kernel does not let us. */
rts_status rts_linux_split_time(bool on);

/** What they cost since they were brought in, while they were timed. */
rts_split_cost rts_linux_split_cost(void);

#endif
